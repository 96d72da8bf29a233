package repair

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/internal/tablescan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// StreamState is what aggregate has stored about its progress through the table stream.
type StreamState struct {
	Processed model.Time // everything up to here was processed; 0 if nothing was yet
	Gaps      []entity.Gap
}

// ReadStreamState reads the state: one partition.
func ReadStreamState(ctx context.Context, table tablescan.Table) (s StreamState, err error) {
	_, err = tablescan.Partition(ctx, table, tablekeys.JobAggregate, func(it item.Item) bool {
		if at, err := item.StreamProgress(it); err == nil {
			s.Processed = at
		}
		if g, err := item.Gap(it); err == nil {
			s.Gaps = append(s.Gaps, g)
		}
		return true
	})
	return s, err
}

// Stalled reports whether nothing was processed for nearly as long as the table stream
// keeps a change: changes may already be lost.
func (s StreamState) Stalled(now model.Time) bool {
	return s.Processed != 0 && now.Sub(s.Processed) > aggregate.StreamRetention-time.Hour
}

// Unprocessed returns the ranges of time in which changes may be in no rollup: the
// recorded gaps and, if the stream is stalled, the time since.
func (s StreamState) Unprocessed(now model.Time) []entity.Gap {
	gaps := s.Gaps
	if s.Stalled(now) {
		gaps = append(gaps[:len(gaps):len(gaps)], entity.Gap{From: s.Processed, To: now})
	}
	return gaps
}

// ForgetGaps deletes the recorded gaps that lie within one of the repaired ranges.
func (s StreamState) ForgetGaps(ctx context.Context, table Deleter, repaired []entity.Gap) error {
	for _, g := range s.Gaps {
		if !covered(g, repaired) {
			continue
		}
		if err := table.DeleteItem(ctx, tablekeys.Gap(g.From)); err != nil {
			return fmt.Errorf("delete the gap from %s: %w", g.From, err)
		}
	}
	return nil
}

func covered(g entity.Gap, by []entity.Gap) bool {
	return slices.ContainsFunc(by, func(b entity.Gap) bool { return b.From <= g.From && g.To <= b.To })
}
