package query

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Changes says what is known to have changed a bucket after it had closed. 0 is not known: a row says when
// it was written last and no more, and a bucket that is folded as it is read has not closed for readers.
type Changes struct {
	Late      model.Time // arrival of its newest event
	Corrected model.Time // newest correction of an event that is still stored
	// Recomputed is when its row was written last, if that is later than the closing, the arrival and the
	// correction explain: an event was deleted, or a repair or a late sweep wrote the row.
	Recomputed model.Time
}

// writeDelay is how late a row may be written before it counts as recomputed. Sweeps that are later raise an
// alarm.
const writeDelay = 10 * time.Minute

// changes returns what changed the rows of one bucket after it had closed.
func (q Rollups) changes(rows []rollup.Row, b tier.Bucket, through *model.Time) (all Changes) {
	for i := range rows {
		row, policy := &rows[i], q.findKind(rows[i].Key.Series.Kind).Retention
		_, level, _ := policy.Find(b.Unit)
		closed := max(queue.LateFrom(policy, level, b, row.Key.Series), row.Continuation.Settles)
		if through != nil && closed > *through {
			continue
		}
		written := max(closed, row.NewestArrival, row.NewestCorrection).Add(policy.LateEvery + writeDelay)
		all.Late = max(all.Late, since(row.NewestArrival, closed))
		all.Corrected = max(all.Corrected, since(row.NewestCorrection, closed))
		all.Recomputed = max(all.Recomputed, since(row.WrittenAt, written))
	}
	return all
}

// since returns t if it is not before from, otherwise 0.
func since(t, from model.Time) model.Time {
	if t < from {
		return 0
	}
	return t
}
