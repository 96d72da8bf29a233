package stack

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/web/script"
)

// Options describe a stack. The zero value of each field is its default.
type Options struct {
	Config     *config.Config // required
	ConfigPath string         // the file that Config was read from, passed to the functions; "" for the defaults
	Table      string         // "" means tidemark
	Port       string         // of the HTTP front; "" selects a free one
	MQTT       string         // address of an MQTT broker for devices; "" starts none
	ID         string         // in every response of the front, by which commands know a dev; "" is random
	Engine     Engine         // "" means Embedded
	// DynamoDB is a running endpoint, the directory of the tables, or how to start DynamoDB Local.
	DynamoDB    ddblocal.Options
	BinaryDir   string // of the functions; "" searches, see FindBinaries
	Dir         string // of logs and the on-failure file; "" means .tidemark
	Faults      Faults
	TableFaults protocol.Faults // of the embedded engine
	Clock       clock.Clock     // of the table, the functions and the front; the zero value is the machine's
	// Progress is called with each step of the start, in words; it may be nil.
	Progress func(step string)
	// Tap is called with each payload for aggregate before its delivery, including deliveries that
	// faults add. It must be safe for concurrent use.
	Tap func(payload []byte)
	// OnKill is called for each process killed on purpose.
	OnKill func(Death)

	// reach returns the address at which a function reaches the table; nil for its own.
	reach func(function, endpoint string) string
}

// Stack is a running Tidemark: DynamoDB, the table, the functions, the mapping of the table stream
// and the HTTP front.
type Stack struct {
	URL      string // of the HTTP front
	MQTT     string // address of the MQTT broker; "" if there is none
	Endpoint string // of DynamoDB
	Table    string

	opts      Options
	database  database
	functions map[string]*Function
	logs      []io.Closer
	source    *TableStream
	mapping   *eventsource.Mapping
	delivery  *delivery
	metrics   metrics
	changes   changes
	failures  failureFile
	front     *Front
	throttle  throttle
	throttled *Front // serves throttle

	invocations *Front // serves invokeEvent

	ctx     context.Context // ends the mapping
	cancel  context.CancelCauseFunc
	running sync.WaitGroup
}

// ErrDatabaseEnded reports that the database ended unexpectedly.
var ErrDatabaseEnded = errors.New("the database ended")

// Start starts the stack and returns when it accepts requests. If a part cannot be started, the
// others are stopped.
func Start(ctx context.Context, opts Options) (*Stack, error) {
	opts.Table = cmp.Or(opts.Table, "tidemark")
	opts.Dir = cmp.Or(opts.Dir, ".tidemark")
	opts.ID = cmp.Or(opts.ID, rand.Text())
	s := &Stack{Table: opts.Table, opts: opts, functions: map[string]*Function{}}
	s.failures.path = filepath.Join(opts.Dir, "on-failure.ndjson")
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := s.start(ctx); err != nil {
		err = cmp.Or(s.databaseErr(), err)
		s.Stop()
		return nil, err
	}
	return s, nil
}

// databaseErr returns why the database has ended by itself; nil while it runs.
func (s *Stack) databaseErr() error {
	if s.database == nil {
		return nil
	}
	select {
	case <-s.database.Done():
		return s.database.Err()
	default:
		return nil
	}
}

func (s *Stack) start(ctx context.Context) error {
	var binaries map[string]string
	say := s.opts.Progress
	if say == nil {
		say = func(string) {}
	}
	say("start the table, and build the functions if they are not built (the first time takes a minute)")
	group, both := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		binaries, err = findOrInstall(both, say, s.opts.BinaryDir, functionNames(servedBy(s.opts.Config))...)
		return err
	})
	group.Go(func() error { return s.startDatabase(both, say) })
	if err := group.Wait(); err != nil {
		return err
	}
	say("create table " + s.Table + " and start the functions")
	arn, err := EnsureTable(ctx, s.Endpoint, s.Table)
	if err != nil {
		return err
	}
	if err := applyConfig(ctx, s.Endpoint, s.Table, s.opts.Config, s.now); err != nil {
		return err
	}
	if err := s.startFunctions(ctx, binaries); err != nil {
		return err
	}
	if err := s.startMapping(arn); err != nil {
		return err
	}
	if err := s.startPurge(arn); err != nil {
		return err
	}
	s.startSchedules()
	if err := s.startBroker(); err != nil {
		return err
	}
	return s.startFront()
}

// startMapping delivers the table stream to aggregate with the deployed settings.
func (s *Stack) startMapping(arn string) (err error) {
	s.source = NewTableStream(s.Endpoint, arn)
	s.source.changed = s.changes.add
	s.delivery = &delivery{function: s.functions[aggregate], faults: s.opts.Faults, tap: s.opts.Tap,
		throttle: s.throttle.begin}
	if s.mapping, err = s.newMapping(arn, s.source, s.delivery.invoke); err != nil {
		return err
	}
	s.runMapping(s.mapping, "deliver the table stream")
	s.running.Go(s.watchDatabase)
	return nil
}

// newMapping returns a mapping of the table stream with the deployed settings.
func (s *Stack) newMapping(arn string, source *TableStream,
	invoke func(context.Context, []byte) ([]byte, error)) (*eventsource.Mapping, error) {
	settings, err := MappingSettings(s.opts.Config.Mapping)
	return &eventsource.Mapping{
		Source: source, Invoke: invoke, Settings: settings, Stream: arn, OnFailure: s.failures.add,
		Now: s.now, Sleep: retry.Sleep,
	}, err
}

// runMapping runs a mapping until the stack stops. If the mapping ends before, the stack stops.
func (s *Stack) runMapping(m *eventsource.Mapping, what string) {
	s.running.Go(func() {
		if err := m.Run(s.ctx); s.ctx.Err() == nil {
			s.cancel(fmt.Errorf("%s: %w", what, err))
		}
	})
}

func (s *Stack) watchDatabase() {
	select {
	case <-s.database.Done():
		s.cancel(s.database.Err())
	case <-s.ctx.Done():
	}
}

func (s *Stack) startFront() (err error) {
	kinds, err := s.opts.Config.Catalog()
	if err != nil {
		return err
	}
	readers := s.functions[authorize]
	routes := []Route{
		{Method: http.MethodPost, Path: access.SiteKeyRoute, AnyOrigin: true, Authorizer: s.functions[authorize],
			To: s.functions[ingest]},
		{Method: http.MethodPost, Path: access.PathEvent, AnyOrigin: true, To: s.functions[ingest]},
		{Method: http.MethodPost, Path: access.PathStats, Authorizer: readers, To: s.functions[query]},
		{Method: http.MethodGet, Path: access.ReportRoute, Authorizer: readers, To: s.functions[query]},
		{Method: http.MethodGet, Path: access.LinkRoute, Authorizer: s.functions[authorize],
			To: s.functions[query]},
		{Method: http.MethodGet, Path: script.PathPrefix + "{name}", AnyOrigin: true, To: s.functions[ingest]},
	}
	for _, path := range access.WriteKeyPaths {
		routes = append(routes,
			Route{Method: http.MethodPost, Path: path, Authorizer: s.functions[authorize], To: s.functions[ingest]})
	}
	for _, r := range access.ClientRoutes {
		route := Route{Method: r.Method, Path: r.Path, To: s.functions[ingest]}
		if !r.Public {
			route.Authorizer = s.functions[authorize]
		}
		routes = append(routes, route)
	}
	if s.opts.Config.Prometheus {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			routes = append(routes,
				Route{Method: method, Path: httpapi.PrometheusPath + "/{proxy+}", To: s.functions[prometheus]})
		}
	}
	for _, r := range httpapi.GatewayRoutes(httpapi.Routes(kinds)) {
		routes = append(routes, Route{Method: r.Method, Path: r.Path, To: s.functions[actionFunction(r.Action)]})
	}
	live, end := context.WithCancel(s.ctx)
	s.front, err = StartFront(s.opts.Port, s.opts.ID, s.opts.Clock, routes, s.localRoutes(live, kinds))
	if err != nil {
		end()
		return fmt.Errorf("start the HTTP front: %w", err)
	}
	s.front.server.RegisterOnShutdown(end) // pages that wait for changes would keep it from ending
	s.URL = s.front.URL
	return nil
}

// Context returns a context that ends when the stack stops or fails. Its cause is the reason.
func (s *Stack) Context() context.Context { return s.ctx }

// Err returns the reason why the stack ended, or nil while it runs.
func (s *Stack) Err() error { return context.Cause(s.ctx) }

// Window returns the longest time that a change waits before it is delivered to aggregate.
func (s *Stack) Window() time.Duration { return s.opts.Config.Mapping.Window }

// KillNext kills the process of the next invocation of aggregate. See Function.KillNext.
func (s *Stack) KillNext(at Moment) { s.functions[aggregate].KillNext(at) }

// stopWithin is how long running requests can take when the stack stops.
const stopWithin = 2 * time.Second

// Stop stops all parts in order and waits for them. It can be called repeatedly.
func (s *Stack) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	if s.front != nil {
		s.front.Stop(ctx)
	}
	s.cancel(context.Canceled)
	for _, f := range s.functions {
		f.Stop()
	}
	for _, endpoint := range []*Front{s.throttled, s.invocations} {
		if endpoint != nil {
			endpoint.Stop(ctx)
		}
	}
	s.running.Wait()
	if s.database != nil {
		s.database.Stop()
	}
	for _, log := range s.logs {
		log.Close()
	}
}
