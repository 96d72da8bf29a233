package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// culprits names the events that make the difference between a row and its bucket, as
// far as the row can tell. A digest is a sum over events, so the difference of two is
// the sum over those that one has and the other has not: events are found that add up
// to it.
func culprits(row *rollup.Row, events []model.Event) string {
	if row == nil {
		return "its events: " + names(events)
	}
	if row.Summary == nil || len(events) == 0 {
		return ""
	}
	slices.SortStableFunc(events, func(a, b model.Event) int { return cmp.Compare(a.ArrivedAt, b.ArrivedAt) })
	var lack rollup.Digest
	for i := range events {
		lack.Add(rollup.DigestOf(&events[i]))
	}
	lack.Sub(row.Digest)
	if lack == (rollup.Digest{}) {
		return "the row has all of its events, and other numbers than theirs: somebody wrote it by hand, or another version"
	}
	if missing := addingUp(events, lack); missing != nil {
		return "not in the row: " + names(missing)
	}
	if late := writtenBefore(row, events); late != nil {
		return "arrived after the row was written, so not in it: " + names(late)
	}
	return "an event in the row was corrected or deleted since, or more are missing than can be told apart; its events: " + names(events)
}

// addingUp finds the events whose digests add up to lack: those that arrived one
// after the other, as what a batch lost has, or any two.
func addingUp(events []model.Event, lack rollup.Digest) []model.Event {
	before := map[rollup.Digest]int{} // sum of the first n, by n, the last n that has it
	single := map[rollup.Digest]int{}
	var sum rollup.Digest
	for i := range events {
		before[sum] = i
		own := rollup.DigestOf(&events[i])
		sum.Add(own)
		rest := sum
		rest.Sub(lack)
		if from, ok := before[rest]; ok {
			return events[from : i+1]
		}
		other := lack
		other.Sub(own)
		if j, ok := single[other]; ok {
			return []model.Event{events[j], events[i]}
		}
		single[own] = i
	}
	return nil
}

// writtenBefore are the events that arrived when the row was written already: it is
// the fold of what was read before, so it cannot hold them.
func writtenBefore(row *rollup.Row, events []model.Event) (late []model.Event) {
	for _, e := range events {
		if e.ArrivedAt > row.WrittenAt.Add(time.Minute) { // two clocks
			late = append(late, e)
		}
	}
	return late
}

// shownNames is how many events are named of one bucket.
const shownNames = 5

func names(events []model.Event) string {
	var b strings.Builder
	for i, e := range events[:min(len(events), shownNames)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(e.At.String())
		if e.ID != "" {
			fmt.Fprintf(&b, " id %s", e.ID)
		}
	}
	if more := len(events) - shownNames; more > 0 {
		fmt.Fprintf(&b, " and %s more", grouped(more))
	}
	return b.String()
}

// name reads the events of a bucket that is folded from events, and names the
// culprits among them; "" for a coarser bucket, whose finer ones tell.
func (r *recount) name(ctx context.Context, f finding) (string, error) {
	rung := slices.IndexFunc(r.kind.Ladder.Tiers, func(t tier.Tier) bool { return t.Unit.String() == f.key.Tier })
	b := r.kind.Ladder.Tiers[rung].Unit.BucketOf(f.key.Start)
	if f.is == extra || rungBelow(r.kind.Ladder, rung, b) != fromEvents {
		return "", nil
	}
	var events []model.Event
	page := model.Range{Series: r.series, From: b.Start, To: b.End, Consistent: true}
	for {
		got, err := r.store.Events(ctx, page)
		if err != nil {
			return "", fmt.Errorf("read the events of %s %s: %w", r.series, b, err)
		}
		events = append(events, got.Events...)
		if page.After = got.Next; page.After == "" {
			return culprits(r.stored[rung][f.key.Start], events), nil
		}
	}
}
