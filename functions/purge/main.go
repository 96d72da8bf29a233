// Command purge is the Lambda function that removes data: it carries out the purges that were requested, on a
// schedule or by direct invocation, and cleans up after tombstones that TTL removed. It is the only function
// that may erase, and no route of the HTTP API invokes it.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"

	"github.com/tidemark-db/tidemark/internal/api/startup"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

func main() { startup.Serve(os.Stderr, wire, func(h *handler) any { return h }) }

// store is the part of the table that the handler needs.
type store interface {
	lifecycle.Store
	lifecycle.Eraser
}

// eraseRate is the number of items erased a second: half of the 1,000 write units that one
// partition takes a second. The rest is for concurrent writers.
const eraseRate = 500

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
	h.log, h.units = log, e.Units
	h.function, h.metrics = e.Function, e.Metrics
	return h, nil
}

func newHandler(settings *config.Config, s store) (*handler, error) {
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	now := startup.Now
	return &handler{
		catalog: kinds,
		now:     now,
		profiles: &lifecycle.Service{Store: s, Profile: kinds.Profile, Limits: settings.Limits, Now: now,
			Rand: rand.Reader},
		purger: &lifecycle.Purger{
			Store: s, Now: now, Timing: lifecycle.NewTiming(settings), Rate: eraseRate,
			Copies: lifecycle.ListCopies(settings),
		},
	}, nil
}
