package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// This file tells a row that is behind its events from one that is wrong. A row that is behind is right for
// the events that had arrived when it was written: recounted without the later ones, it is equal.

// Patience is how long a row may be behind its events. The table stream delivers within seconds, and after a
// failure within minutes.
const Patience = 15 * time.Minute

// untilStored is how long after its arrival an event is stored, at most.
const untilStored = 2 * time.Second

// maxMoments is how many moments are tried for a span: most rows that are behind are so since the same one.
const maxMoments = 16

// findPending gives the status Pending to findings of rows that are behind. It changes nothing if the store
// does not tell how far the table stream is processed. A correction or deletion leaves no trace of what was
// before: a row that is behind one still differs.
func (c counter) findPending(ctx context.Context, findings []found) error {
	states, tells := c.store.(query.StreamStates)
	if !tells || !slices.ContainsFunc(findings, found.wrongRow) {
		return nil
	}
	state, err := states.StreamState(ctx) // before the rows are read again
	if err != nil {
		return fmt.Errorf("read the progress of the table: %w", err)
	}
	if state.Progress == 0 || len(state.Blocked) > 0 {
		return nil // no function reads the table stream, or it fails: changes need more than a moment
	}
	tried := map[*recount][]model.Time{}
	for i := range findings { // finer rows come first: coarser ones are folded from them
		f := &findings[i]
		at := f.by.lacksAfter(f.Key, state)
		if !f.wrongRow() || slices.Contains(tried[f.by], at) || len(tried[f.by]) == maxMoments {
			continue
		}
		tried[f.by] = append(tried[f.by], at)
		differ, err := f.by.differWithout(ctx, at)
		if err != nil {
			return err
		}
		for j := range findings {
			if g := &findings[j]; g.by == f.by && g.wrongRow() && !differ[g.Key] {
				g.Status, g.by.behind[g.Key] = Pending, true
				g.Detail = fmt.Sprintf(
					"it is right without events that arrived after %s, which are not processed yet", at)
			}
		}
	}
	return nil
}

func (f found) wrong() bool { return !f.Status.OK() }

// wrongRow reports whether a row is wrong, not a share.
func (f found) wrongRow() bool { return f.wrong() && f.Key.Member == "" }

// lacksAfter returns the time from which on events that arrived may be missing in a row that is behind: its
// newest event, but not before the changes that are processed for certain.
func (r *recount) lacksAfter(key rollup.Key, state storage.StreamState) model.Time {
	through, late := state.Through(), storage.LateMargin(r.kind.Retention.LateEvery)
	if late > 0 {
		through = min(through, r.through.Add(-late)) // a late change waits for a tick after it was processed
	}
	at := max(through.Add(-untilStored), r.now.Add(-Patience-late))
	for level, t := range r.kind.Retention.Tiers {
		if row := r.stored[level][key.Start]; row != nil && t.Unit.String() == key.Tier {
			at = max(at, row.NewestArrival)
		}
	}
	return at
}

// differWithout recounts the span without the events that arrived after a time, and returns which rows
// differ. Rows that are known to be behind are taken as they are.
func (r *recount) differWithout(ctx context.Context, at model.Time) (map[rollup.Key]bool, error) {
	then := &recount{store: arrivedUntil{r.store, at}, kind: r.kind, series: r.series, now: r.now,
		span: r.span, through: r.through, behind: r.behind}
	all, err := then.run(ctx)
	differ := map[rollup.Key]bool{}
	for _, f := range all {
		differ[f.Key] = !f.Status.OK()
	}
	return differ, err
}

// arrivedUntil hides the events that arrived after a time.
type arrivedUntil struct {
	SeriesReader
	at model.Time
}

func (s arrivedUntil) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page, err := s.SeriesReader.Events(ctx, r)
	page.Events = lists.Filter(page.Events, func(e model.Event) bool { return e.ArrivedAt <= s.at })
	return page, err
}
