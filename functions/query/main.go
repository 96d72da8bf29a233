// Command query is the Lambda function that serves the read requests of the HTTP API.
package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/api/startup"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

func main() { startup.Serve(os.Stdout, wire, func(f *function) any { return f.Handle }) }

// envCursorKey is the environment variable of the key that signs cursors, in a local stack or in tests.
const envCursorKey = "TIDEMARK_CURSOR_KEY"

// function serves requests with the handler of the table's present configuration: a tier
// that becomes deferred is read in another way.
type function struct{ tableconfig.Built[*Handler] }

// Handle is Handler.Handle. It also returns an error if the configuration does not fit the table or
// cannot be read.
func (f *function) Handle(ctx context.Context, payload json.RawMessage) (any, error) {
	h, err := f.Value(ctx)
	if err != nil {
		return nil, err
	}
	return h.Handle(ctx, payload)
}

// wire builds the function from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*function, error) {
	load := func(ctx context.Context) ([][]byte, error) { return cursorKeys(ctx, getenv, secret.Read) }
	keys, err := secret.Open(ctx, load, startup.Clock)
	if err != nil {
		return nil, err
	}
	e, err := startup.Open(ctx, getenv)
	if err != nil {
		return nil, err
	}
	store, now := e.Table, startup.Now
	folded := emitFolded(e.Metrics, e.Function, log)
	build := func(kinds *catalog.Catalog) *Handler {
		live := &query.Live{
			Store: store, Watermarks: store, Stream: store, Kind: query.CatalogKinds(kinds), Now: now, Folded: folded,
		}
		return &Handler{
			Catalog:    kinds,
			Query:      &query.Service{Store: live, Now: now},
			Buckets:    &verify.BucketVerifier{Store: store, Now: now, MaxEvents: maxVerified},
			CursorKeys: keys,
			Subjects:   &lifecycle.Service{Store: store, Profile: kinds.Profile, Limits: e.Settings.Limits, Now: now},
			Purger:     &lifecycle.Purger{Store: store, Now: now, Timing: lifecycle.NewTiming(e.Settings)},
			Alerts:     &alert.Service{Store: store, Catalog: kinds, Now: now},
			OwnerClaim: getenv(config.EnvOwnerClaim),
			Limits:     e.Settings.Limits,
			Progress: func(ctx context.Context) (query.Progress, error) {
				return query.TableProgress(ctx, store, kinds)
			},
			Log: log,
			API: sync.OnceValues(func() (json.RawMessage, error) { return describe(kinds) }),
		}
	}
	f := &function{tableconfig.Built[*Handler]{Current: e.Current(), Build: build}}
	_, err = f.Value(ctx)
	return f, err
}

// emitFolded returns a function that publishes how many events a read has folded.
func emitFolded(metrics *telemetry.Emitter, function string, log *slog.Logger) func(kind string, events int) {
	return func(kind string, events int) {
		metrics.EmitOrLog(log, function, kind, telemetry.Counts{telemetry.LiveFolded: float64(events)})
	}
}
