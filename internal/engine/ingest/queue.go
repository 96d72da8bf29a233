package ingest

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ensureQueued makes sure, before events are written, corrected or deleted, that the sweeps of their buckets
// find them. Events whose buckets may not be queued are reported, and written all the same.
func (s *Service) ensureQueued(ctx context.Context, kind *catalog.Kind, events ...queue.Event) {
	if s.Queue == nil {
		return
	}
	unqueued, err := s.Queue.Ensure(ctx, kind, events, queue.Requests{
		Now: s.Now,
		Retrier: retry.Retrier{Policy: queue.LimitAttempts(s.RetryPolicy), Rand: s.Rand, Sleep: s.Sleep,
			OnRetry: s.OnRetry},
		Parallel: s.parallel(),
	})
	if len(unqueued) > 0 && s.OnUnqueued != nil {
		s.OnUnqueued(unqueued, err)
	}
}

// unqueuedText says what OnUnqueued is called for.
const unqueuedText = "events are written or deleted, but their buckets may not be queued: " +
	"their rollups follow with the table stream"

// LogUnqueued returns an OnUnqueued that logs the events, and counts them as telemetry.EventsUnqueued.
func LogUnqueued(
	log *slog.Logger, count func(kind string, m telemetry.Metric, n float64),
) func([]model.EventKey, error) {
	return func(events []model.EventKey, cause error) {
		kind := events[0].Series.Kind
		log.Warn(unqueuedText, telemetry.FieldKind, kind, telemetry.FieldCount, len(events),
			telemetry.FieldError, cause)
		count(kind, telemetry.EventsUnqueued, float64(len(events)))
	}
}

// PrintUnqueued returns an OnUnqueued that prints how many events of which kind there are, for commands.
func PrintUnqueued(w io.Writer) func([]model.EventKey, error) {
	return func(events []model.EventKey, cause error) {
		fmt.Fprintf(w, "%d %s %s (%v)\n", len(events), events[0].Series.Kind, unqueuedText, cause)
	}
}
