package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// trimmed is a message whose range is gone.
type trimmed struct {
	message
	envelope.GivenUp
}

// mendTrimmed goes by time where the table stream has forgotten: one scan for all.
func (r *redriver) mendTrimmed(ctx context.Context) error {
	if len(r.trimmed) == 0 {
		return nil
	}
	raw := leastRaw(r.kinds)
	var gaps []model.Gap
	for _, m := range r.trimmed {
		gaps = append(gaps, model.Gap{From: m.FirstAt, To: m.LastAt})
		fmt.Fprintf(r.out, "message %s: the table stream has forgotten %s to %s: mending by time%s\n",
			m.id, m.FirstAt, m.LastAt, deadline(m.FirstAt, raw))
	}
	mend := mender{table: r.table, kinds: r.kinds, agg: r.agg, cmd: r.cmd, terms: aggregate.Terms{DryRun: r.dryRun}}
	if err := mend.mend(ctx, gaps); err != nil {
		return err
	}
	for _, m := range r.trimmed {
		if expiredBy(m.FirstAt, raw, wallClock()) {
			if err := r.markAll(ctx, m.GivenUp); err != nil {
				return err
			}
		}
		if r.dryRun {
			continue
		}
		if err := r.source.remove(ctx, m.message); err != nil {
			return fmt.Errorf("message %s: mended, but not removed (mending it again is harmless): %w", m.id, err)
		}
		r.settled++
	}
	return nil
}

// markAll marks the rows of the finest tiers over the time of a range whose raw events
// have begun to expire: what was lost there cannot be known any more.
func (r *redriver) markAll(ctx context.Context, g envelope.GivenUp) error {
	all, err := seriesOf(ctx, r.table, r.kinds, model.Subject{})
	if err != nil {
		return fmt.Errorf("find the series of table %s: %w", r.table.Name(), err)
	}
	var over []aggregate.Place
	for _, s := range all {
		if kind, known := r.kinds.Kind(s.Kind); known {
			over = append(over, finestOver(s, kind.Ladder, g.FirstAt, g.LastAt)...)
		}
	}
	report := r.agg.Revisit(ctx, over, aggregate.Terms{Manner: aggregate.MarkEvery, DryRun: r.dryRun})
	if len(report.Failures) > 0 {
		return fmt.Errorf("mark what stands over the range: %w", report.Failures[0].Err)
	}
	fmt.Fprintf(r.out, "marked what stands over %s to %s: %s buckets looked at, %s rows changed\n",
		g.FirstAt, g.LastAt, grouped(report.Looks), grouped(report.Changed))
	return nil
}

// finestOver are the finest buckets of a series over a range of time, both ends
// included.
func finestOver(s model.Series, l tier.Ladder, first, last model.Time) (all []aggregate.Place) {
	for b := l.Finest().Unit.BucketOf(first); b.Start <= last; b = b.Unit.BucketOf(b.End) {
		all = append(all, aggregate.Place{Series: s, At: b.Start})
	}
	return all
}

// leastRaw is the shortest retention of raw events of any kind, tier.Forever where all
// are kept for ever.
func leastRaw(kinds *catalog.Catalog) time.Duration {
	least := tier.Forever
	for _, k := range kinds.Kinds {
		if raw := k.Ladder.Raw; raw != tier.Forever && (least == tier.Forever || raw < least) {
			least = raw
		}
	}
	return least
}

// expiredBy reports whether events that were written at first have begun to expire.
func expiredBy(first model.Time, raw time.Duration, now model.Time) bool {
	return raw != tier.Forever && first.Add(raw) <= now.Add(tier.SealMargin)
}

// deadline says by when a range that is mended by its time has to be.
func deadline(first model.Time, raw time.Duration) string {
	switch {
	case raw == tier.Forever:
		return ""
	case expiredBy(first, raw, wallClock()):
		return fmt.Sprintf("; its raw events began to expire on %s: what may miss one is marked", first.Add(raw))
	}
	return fmt.Sprintf("; to be done before its raw events expire, on %s", first.Add(raw))
}
