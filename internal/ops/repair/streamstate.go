package repair

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// StreamState is what aggregate has stored about its progress through the table stream.
type StreamState struct{ storage.StreamState }

// ReadStreamState reads the state: one partition.
func ReadStreamState(ctx context.Context, table query.StreamStates) (StreamState, error) {
	state, err := table.StreamState(ctx)
	return StreamState{state}, err
}

// Stalled reports whether nothing was processed for nearly as long as the table stream
// keeps a change: changes may already be lost.
func (s StreamState) Stalled(now model.Time) bool {
	return s.Progress != 0 && now.Sub(s.Progress) > aggregate.StreamRetention-time.Hour
}

// Unprocessed returns the ranges of time in which changes may be in no rollup: the recorded gaps, the blocked
// batches and, if the stream is stalled, the time since.
func (s StreamState) Unprocessed(now model.Time) []storage.Gap {
	all := s.Missing()
	if s.Stalled(now) {
		all = append(all, storage.Gap{From: s.Progress, To: now})
	}
	return all
}

// GapDeleter deletes recorded gaps.
type GapDeleter interface {
	// DeleteGap deletes a gap, unless it has grown since it was read: then the result is ConditionFailed.
	DeleteGap(ctx context.Context, gap storage.Gap) (storage.WriteResult, error)
	BlockedDeleter
}

// BlockedDeleter deletes recorded blocked batches.
type BlockedDeleter interface {
	// DeleteBlocked deletes a blocked batch, if it is stored.
	DeleteBlocked(ctx context.Context, seq string) (storage.WriteResult, error)
}

// ForgetGaps deletes the recorded gaps and blocked batches that lie within one of the repaired ranges. A gap
// that has grown meanwhile stays, to be repaired again; a batch that is still repeated is recorded again.
func (s StreamState) ForgetGaps(ctx context.Context, table GapDeleter, repaired []storage.Gap) error {
	for _, g := range s.Gaps {
		if !covered(g, repaired) {
			continue
		}
		result, err := table.DeleteGap(ctx, g)
		if err == nil && result != storage.Written && result != storage.ConditionFailed {
			err = fmt.Errorf("%s: run the command again", result)
		}
		if err != nil {
			return fmt.Errorf("delete the gap from %s: %w", g.From, err)
		}
	}
	for _, b := range s.Blocked {
		if !covered(b.Gap, repaired) {
			continue
		}
		if err := forgetBlocked(ctx, table, b.Seq); err != nil {
			return err
		}
	}
	return nil
}

func forgetBlocked(ctx context.Context, table BlockedDeleter, seq string) error {
	result, err := table.DeleteBlocked(ctx, seq)
	if err == nil && result != storage.Written {
		err = fmt.Errorf("%s: run the command again", result)
	}
	if err != nil {
		return fmt.Errorf("delete the blocked batch %s: %w", seq, err)
	}
	return nil
}

func covered(g storage.Gap, by []storage.Gap) bool {
	return slices.ContainsFunc(by, func(b storage.Gap) bool { return b.From <= g.From && g.To <= b.To })
}
