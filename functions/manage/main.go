// Command manage is the Lambda function behind the HTTP API's writing routes, except appends: it writes
// profiles, purge requests, alerts and rules, and corrects or deletes single events. It may not erase:
// function purge carries out the purges that are requested here.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"

	"github.com/tidemark-db/tidemark/internal/api/startup"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/repair/hidevalue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

func main() { startup.Serve(os.Stderr, wire, func(h *handler) any { return h }) }

// store is the part of the table that the handler needs.
type store interface {
	lifecycle.Store
	alert.Store
	ingest.EditStore
	queue.Store
	eraseStore
	hidevalue.Table
}

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*handler, error) {
	e, err := startup.Open(ctx, getenv)
	if err != nil {
		return nil, err
	}
	h, err := newHandler(e.Settings, e.Table)
	if err == nil {
		err = tableconfig.Load(ctx, e.Table, h.catalog, h.now())
	}
	if err != nil {
		return nil, err
	}
	h.ownerClaim = getenv(config.EnvOwnerClaim)
	h.log = log
	h.units = e.Units
	h.function, h.metrics = e.Function, e.Metrics
	h.events.Service.OnUnqueued = ingest.LogUnqueued(log, h.count)
	return h, nil
}

func newHandler(settings *config.Config, s store) (*handler, error) {
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	now := startup.Now
	h := &handler{
		catalog: kinds, limits: settings.Limits, now: now,
		profiles: &lifecycle.Service{Store: s, Profile: kinds.Profile, Limits: settings.Limits, Now: now,
			Rand: rand.Reader},
		purges: &lifecycle.Purger{
			Store: withoutErase{s}, Now: now, Rate: eraseRate, Copies: lifecycle.ListCopies(settings),
		},
		erasing: s,
		hider:   &hidevalue.Hider{Table: s, Catalog: kinds, Now: now, Rand: rand.Reader},
		alerts:  &alert.Service{Store: s, Catalog: kinds, Now: now, Rand: rand.Reader},
	}
	h.events = &ingest.Editor{Store: s, Service: &ingest.Service{
		Limits: settings.Limits, Now: now, Rand: rand.Reader,
		Queue: queue.NewWriter(s, kinds),
	}}
	return h, nil
}

// eraseRate is the number of events removed a second: the rest of what one partition takes is for writers.
const eraseRate = 500

// withoutErase is a store for purge requests. Only function purge carries them out.
type withoutErase struct{ lifecycle.Store }

var _ lifecycle.Eraser = withoutErase{}

// Erase always fails.
func (withoutErase) Erase(_ context.Context, items []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	return items, storage.Unknown, errors.New("function manage may not erase: function purge does")
}
