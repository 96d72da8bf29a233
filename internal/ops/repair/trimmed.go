package repair

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// trimmedMessage is a message whose range the table stream no longer has.
type trimmedMessage struct {
	onfailure.Message
	over    tablestream.FailedRange
	expired bool
}

// MarkedRange is a range after which the rows up to its end were marked inexact, because
// raw events that arrived in it have expired.
type MarkedRange struct {
	Range      tablestream.FailedRange
	Recomputed int // buckets
	Changed    int // rows
}

// repairTrimmed repairs the ranges that the table stream no longer has by their time of
// arrival, all with one scan, and removes their messages.
func (r *redriveRun) repairTrimmed(ctx context.Context) error {
	if len(r.trimmed) == 0 {
		return nil
	}
	ranges := lists.Map(r.trimmed, func(m trimmedMessage) storage.Gap {
		return storage.Gap{From: m.over.FirstAt, To: m.over.LastAt}
	})
	var err error
	if r.report.Arrival, err = r.RepairArrivals(ctx, ranges); err != nil {
		return err
	}
	for _, m := range r.trimmed {
		if err := r.finishTrimmed(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

func (r *redriveRun) finishTrimmed(ctx context.Context, m trimmedMessage) error {
	if m.expired {
		if err := r.markRange(ctx, m.over); err != nil {
			return err
		}
	}
	if r.DryRun {
		return nil
	}
	if err := r.forgetBlocked(ctx, m.over.First); err != nil {
		return err
	}
	if err := r.Messages.Remove(ctx, m.Message); err != nil {
		return fmt.Errorf("message %s: repaired, but not removed (repairing it again is harmless): %w", m.ID, err)
	}
	r.report.Processed++
	return nil
}

// markRange marks inexact every row of a bucket that an event of the range may belong to:
// raw events that arrived in it have begun to expire, so what was lost is no longer known.
// An event may be late by any time, and ahead of its arrival by MaxAhead.
func (r *redriveRun) markRange(ctx context.Context, g tablestream.FailedRange) error {
	all, err := tablescan.Series(ctx, r.Table, r.Catalog, model.Subject{})
	if err != nil {
		return fmt.Errorf("find the series: %w", err)
	}
	marked := MarkedRange{Range: g}
	for _, s := range all {
		if _, known := r.Catalog.Kind(s.Kind); !known {
			continue
		}
		report, err := r.Aggregator.Rebuild(ctx, aggregate.Rebuild{
			Series: s, From: model.MinTime, To: g.LastAt.Add(r.MaxAhead) + 1,
			RepairOptions: aggregate.RepairOptions{Mark: aggregate.MarkAll, DryRun: r.DryRun},
		})
		if err == nil && len(report.Failures) > 0 {
			err = report.Failures[0].Err
		}
		if err != nil {
			return fmt.Errorf("mark the rows of the range inexact: %w", err)
		}
		marked.Recomputed += report.Recomputed
		marked.Changed += report.Changed
	}
	r.report.Marked = append(r.report.Marked, marked)
	return nil
}

// deadline returns when raw events that were written at a time begin to expire, by the
// shortest retention that any kind ever had.
func (r *Redriver) deadline(writtenAt model.Time) *Trimmed {
	least := shortestRaw(r.Catalog)
	if least == tier.Forever {
		return &Trimmed{}
	}
	expires := writtenAt.Add(least)
	return &Trimmed{ExpiresAt: expires, Expired: expires <= r.Now().Add(tier.SealMargin)}
}

// shortestRaw returns the shortest retention that raw events of any kind ever had,
// tier.Forever if none ever expired.
func shortestRaw(kinds *catalog.Catalog) time.Duration {
	least := tier.Forever
	for _, k := range kinds.Kinds {
		least = min(least, k.Retention.LeastRawRetention())
	}
	return least
}
