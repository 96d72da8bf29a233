package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// explain reads the events of a bucket that is folded from events and names those that make the row differ.
// It returns "" for a bucket folded from finer buckets: their own findings explain it. It returns "" for a
// share, too.
func (r *recount) explain(ctx context.Context, f Finding) (string, error) {
	level := slices.IndexFunc(r.kind.Retention.Tiers, func(t tier.Tier) bool {
		return t.Unit.String() == f.Key.Tier
	})
	b := r.kind.Retention.Tiers[level].Unit.BucketAt(f.Key.Start)
	if f.Status == Extra || f.Key.Member != "" || childLevel(r.kind.Retention, level, b) != eventLevel {
		return "", nil
	}
	var events []model.Event
	err := r.eachEvent(ctx, Span{b.Start, b.End}, func(e *model.Event) { events = append(events, *e) })
	if err != nil {
		return "", fmt.Errorf("read the events of %s %s: %w", r.series, b, err)
	}
	return explainDifference(r.stored[level][f.Key.Start], events), nil
}

// explainDifference names the events that make a row differ from its bucket, as far as
// the row's digest shows. A digest is the sum of the events' digests, so the difference
// of two digests is the sum over the events that only one of them includes.
func explainDifference(row *rollup.Row, events []model.Event) string {
	if row == nil {
		return "its events: " + eventNames(events)
	}
	if row.Summary == nil || len(events) == 0 {
		return ""
	}
	slices.SortStableFunc(events, byArrival)
	var lack rollup.Digest
	for i := range events {
		lack.Add(rollup.NewDigest(&events[i]))
	}
	lack.Sub(row.Digest)
	if lack == (rollup.Digest{}) {
		return "the row includes all of its events but has other numbers: it was edited, or written by " +
			"another version, or by fields that are not declared any more"
	}
	if missing := withDigest(events, lack); missing != nil {
		return "not in the row: " + eventNames(missing)
	}
	if late := arrivedAfter(row, events); late != nil {
		return "arrived after the row was written, so not in it: " + eventNames(late)
	}
	return "an event in the row was corrected or deleted since, or too many are missing to identify " +
		"them; its events: " + eventNames(events)
}

// withDigest finds events whose digests add up to sum: consecutive arrivals, as after a
// lost batch, or any two events.
func withDigest(events []model.Event, sum rollup.Digest) []model.Event {
	before := map[rollup.Digest]int{} // by the sum of the first n events, the greatest such n
	single := map[rollup.Digest]int{}
	var total rollup.Digest
	for i := range events {
		before[total] = i
		own := rollup.NewDigest(&events[i])
		total.Add(own)
		rest := total
		rest.Sub(sum)
		if from, ok := before[rest]; ok {
			return events[from : i+1]
		}
		other := sum
		other.Sub(own)
		if j, ok := single[other]; ok {
			return []model.Event{events[j], events[i]}
		}
		single[own] = i
	}
	return nil
}

func byArrival(a, b model.Event) int { return cmp.Compare(a.ArrivedAt, b.ArrivedAt) }

// clockSkew is how much later than the row was written an event must have arrived to be
// surely not in it: two clocks are compared.
const clockSkew = time.Minute

// arrivedAfter returns the events that arrived after the row was written.
func arrivedAfter(row *rollup.Row, events []model.Event) (late []model.Event) {
	return lists.Filter(events, func(e model.Event) bool { return e.ArrivedAt > row.WrittenAt.Add(clockSkew) })
}

// maxNames is how many events of one bucket are named.
const maxNames = 5

func eventNames(events []model.Event) string {
	var b strings.Builder
	for i, e := range events[:min(len(events), maxNames)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(e.At.String())
		if e.ID != "" {
			b.WriteString(" id " + e.ID)
		}
	}
	if more := len(events) - maxNames; more > 0 {
		b.WriteString(" and " + strconv.Itoa(more) + " more")
	}
	return b.String()
}
