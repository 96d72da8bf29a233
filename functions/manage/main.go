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

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/startup"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

func main() { startup.Serve(os.Stderr, wire, func(h *handler) any { return h }) }

// store is the part of the table that the handler needs.
type store interface {
	lifecycle.Store
	alert.Store
	ingest.EditStore
}

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*handler, error) {
	e, err := startup.Open(ctx, getenv)
	if err == nil {
		err = e.Check(ctx)
	}
	if err != nil {
		return nil, err
	}
	h, err := newHandler(e.Settings, e.Table)
	if err != nil {
		return nil, err
	}
	h.ownerClaim, h.log, h.units = getenv(config.EnvOwnerClaim), log, e.Units
	h.function, h.metrics = e.Function, &telemetry.Emitter{Out: os.Stdout, Now: h.now}
	return h, nil
}

func newHandler(settings *config.Config, s store) (*handler, error) {
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	now := startup.Now
	return &handler{
		catalog: kinds, limits: settings.Limits, now: now,
		profiles: &lifecycle.Service{Store: s, Profile: kinds.Profile, Limits: settings.Limits, Now: now, Rand: rand.Reader},
		purges:   &lifecycle.Purger{Store: withoutErase{s}, Now: now},
		alerts:   &alert.Service{Store: s, Catalog: kinds, Now: now, Rand: rand.Reader},
		events:   &ingest.Editor{Service: &ingest.Service{Limits: settings.Limits, Now: now, Rand: rand.Reader}, Store: s},
	}, nil
}

// withoutErase is a store for purge requests. Only function purge carries them out.
type withoutErase struct{ lifecycle.Store }

var _ lifecycle.Eraser = withoutErase{}

// Erase always fails.
func (withoutErase) Erase(_ context.Context, items []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	return items, storage.Unknown, errors.New("function manage may not erase: function purge does")
}
