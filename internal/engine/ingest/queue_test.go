package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// queueing is a table that records the order of its requests, and may refuse to queue buckets.
type queueing struct {
	*memory.Table
	requests []string
	refuses  bool
}

func (q *queueing) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	q.requests = append(q.requests, "queue")
	if q.refuses {
		return these, storage.Unknown, errors.New("not allowed")
	}
	return q.Table.PutInvalidations(ctx, these)
}

func (q *queueing) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	q.requests = append(q.requests, "event")
	return q.Table.Append(ctx, tx)
}

func (q *queueing) Put(ctx context.Context, e model.Event) (storage.StoreResult, error) {
	q.requests = append(q.requests, "event")
	return q.Table.Put(ctx, e)
}

func (q *queueing) CorrectEvent(
	ctx context.Context, e model.Event, now model.Time,
) (storage.WriteResult, error) {
	q.requests = append(q.requests, "event")
	return q.Table.CorrectEvent(ctx, e, now)
}

func (q *queueing) DeleteEvent(
	ctx context.Context, k model.EventKey, now model.Time,
) (storage.WriteResult, error) {
	q.requests = append(q.requests, "event")
	return q.Table.DeleteEvent(ctx, k, now)
}

// writing is what a write uses. key is of the stored event.
type writing struct {
	service *ingest.Service
	table   *queueing
	kind    *catalog.Kind
	key     model.EventKey
}

func (w writing) editor() *ingest.Editor { return &ingest.Editor{Service: w.service, Store: w.table} }

type write func(context.Context, writing) error

// Every way to write, correct or delete an event queues its bucket first. A table that refuses that is
// counted, and the event is written.
func TestQueue_TheBucketIsQueuedBeforeTheEventIsSent(t *testing.T) {
	t.Parallel()
	when := clock() // its hour is open
	o := observation(when, "", num("n", 1))
	for _, refuses := range []bool{false, true} {
		for name, do := range map[string]write{
			"append": func(ctx context.Context, w writing) error {
				_, err := w.service.AppendEvents(ctx, w.kind,
					[]ingest.TypedObservation{observation(when, "2", num("n", 1))})
				return err
			},
			"append on a condition": func(ctx context.Context, w writing) error {
				_, err := w.service.AppendIf(ctx, w.kind, observation(when, "2", num("n", 1)), nil)
				return err
			},
			"compose": func(ctx context.Context, w writing) error {
				tx, _, err := w.service.Compose(ctx, w.kind, observation(when, "2", num("n", 1)), nil)
				if err == nil {
					_, err = w.table.Append(ctx, tx)
				}
				return err
			},
			"correct": func(ctx context.Context, w writing) error {
				_, err := w.editor().Correct(ctx, w.kind, observation(when, "", num("n", 2)), nil)
				return err
			},
			"delete": func(ctx context.Context, w writing) error {
				_, err := w.editor().Delete(ctx, w.kind, w.key, nil)
				return err
			},
		} {
			q := &queueing{Table: memory.New(clock)}
			kind := newKind(t, func(k *catalog.Kind) {
				k.Latest, k.Retention = catalog.TransactionLatest, tier.Standard()
				for i := range k.Retention.Tiers {
					k.Retention.Tiers[i].Deferred = true
				}
			})
			s := serviceOn(q, 1)
			if _, err := s.AppendEvents(t.Context(), kind, []ingest.TypedObservation{o}); err != nil {
				t.Fatal(err)
			}
			var unqueued []model.EventKey
			s.Queue = queue.NewWriter(q, nil)
			s.OnUnqueued = func(keys []model.EventKey, _ error) { unqueued = append(unqueued, keys...) }
			q.requests, q.refuses = nil, refuses
			order := model.Order{At: when}
			key := model.EventKey{Series: kind.Series(o.Subject, o.Stream, order), Order: order}
			if err := do(t.Context(), writing{service: s, table: q, kind: kind, key: key}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if len(q.requests) < 2 || q.requests[0] != "queue" || !slices.Contains(q.requests, "event") {
				t.Errorf("%s, refused %v: %v, want the bucket queued, then the event", name, refuses, q.requests)
			}
			if (len(unqueued) == 1) != refuses {
				t.Errorf("%s, refused %v: %d events reported", name, refuses, len(unqueued))
			}
			page, err := q.Invalidations(t.Context(), storage.FirstGeneration.Shard(key.Series), model.MaxTime, "")
			if err != nil || (len(page.Invalidations) == 1) == refuses {
				t.Errorf("%s, refused %v: %d invalidations, %v", name, refuses, len(page.Invalidations), err)
			}
		}
	}
}

// Functions log and count such events, and commands print them, in the same words.
func TestUnqueued_IsSaidInTheSameWordsEverywhere(t *testing.T) {
	var printed, logged bytes.Buffer
	events := []model.EventKey{{Series: model.Series{Kind: "READING"}}, {Series: model.Series{Kind: "READING"}}}
	counts := map[string]float64{}
	count := func(kind string, m telemetry.Metric, n float64) { counts[kind+" "+string(m)] += n }
	cause := errors.New("throttled")
	ingest.PrintUnqueued(&printed)(events, cause)
	ingest.LogUnqueued(slog.New(slog.NewTextHandler(&logged, nil)), count)(events, cause)
	text := "events are written or deleted, but their buckets may not be queued: their rollups follow " +
		"with the table stream"
	if got, want := printed.String(), "2 READING "+text+" (throttled)\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if !strings.Contains(logged.String(), text) || !strings.Contains(logged.String(), "throttled") {
		t.Errorf("logged %q, want %q and the cause", logged.String(), text)
	}
	if want := map[string]float64{"READING EventsUnqueued": 2}; !maps.Equal(counts, want) {
		t.Errorf("counted %v, want %v", counts, want)
	}
}
