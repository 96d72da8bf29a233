package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// room is kept free before the invocation's deadline, to answer in.
const room = 500 * time.Millisecond

// handler turns what a door sends into observations, has them appended, and answers
// as the door expects: a caller is told each outcome; where nobody listens, what was
// rejected goes to quarantine and what was left open makes the delivery come again.
type handler struct {
	service  *ingest.Service
	catalog  *catalog.Catalog
	limits   config.Limits
	kind     string // of messages for which an IoT rule names none
	owner    string // the claim that binds a caller to an owner; "" binds nobody
	reporter *reporter

	collector collector
}

// table is what the handler needs of one.
type table interface {
	ingest.Store
	ingest.Quarantine
	ingest.SaltStore
	ingest.Gates
}

func newHandler(conf *config.Config, kind, views string, store table, r *reporter) (*handler, error) {
	kinds, err := conf.Catalog()
	if err != nil {
		return nil, err
	}
	service := &ingest.Service{
		Store:        store,
		Quarantine:   store,
		Limits:       conf.Limits,
		Now:          func() model.Time { return model.TimeOf(time.Now()) },
		Rand:         rand.Reader,
		Patience:     retry.Patience{Room: room},
		Retried:      r.retried,
		KeepRejected: conf.Quarantine.Retention,
		Gates:        store,
		GateFor:      conf.Functions.Ingest.Timeout,
	}
	h := &handler{service: service, catalog: kinds, limits: conf.Limits, kind: kind, reporter: r}
	h.collector = collector{salts: &ingest.Salts{Service: service, Store: store}, honour: conf.Collector.HonourOptOut}
	h.collector.kind, _ = kinds.Kind(views)
	return h, nil
}

func (h *handler) handle(ctx context.Context, payload json.RawMessage) (any, error) {
	defer h.reporter.close()
	switch door, err := envelope.DoorOf(payload); {
	case err != nil:
		return nil, err
	case door == envelope.HTTP:
		r, answer, err := envelope.ReadRequest(payload)
		if err != nil {
			return nil, err
		}
		return answer(h.http(ctx, r)), nil
	case door == envelope.IoT:
		return h.iot(ctx, payload)
	default:
		return h.batch(ctx, door, payload)
	}
}

// http answers POST /v1/{kinds}, and the collector's requests.
func (h *handler) http(ctx context.Context, r *events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	if strings.HasPrefix(envelope.Path(r), web.CollectPath) && h.collector.kind != nil {
		return h.collect(ctx, r)
	}
	kind, problem := h.route(r)
	if problem != nil {
		return h.refuse(r, problem)
	}
	owner, problem := envelope.OwnerOf(r, h.owner)
	if problem != nil {
		return h.refuse(r, problem)
	}
	observations, many, problem := envelope.Observations(r, h.limits)
	if problem != nil {
		return h.refuse(r, problem)
	}
	flagForeign(observations, kind.Subject.Field, owner)
	outcomes, err := h.service.Append(ctx, kind, observations...)
	h.reporter.appended(envelope.HTTP, r.RequestContext.RequestID, kind.Name, outcomes, err)
	switch {
	case err != nil:
		return envelope.ProblemInternal.New("some of it may be stored; sending it again stores nothing twice, unless its ids are minted").Response()
	case many:
		return envelope.Many(outcomes)
	}
	return envelope.One(outcomes[0])
}

// route is the kind the path names.
func (h *handler) route(r *events.APIGatewayV2HTTPRequest) (*catalog.Kind, *envelope.Problem) {
	path := envelope.Path(r)
	name, ok := strings.CutPrefix(path, "/v1/")
	kind, known := h.catalog.ByPath(name)
	switch method := r.RequestContext.HTTP.Method; {
	case !ok || !known:
		return nil, envelope.ProblemNotFound.New("no kind is served at %.200q: send to one of %s", path, strings.Join(h.paths(), ", "))
	case method != "POST":
		return nil, envelope.ProblemMethod.New("%s only takes POST", path).With("Allow", "POST")
	}
	return kind, nil
}

func (h *handler) paths() []string {
	paths := make([]string, len(h.catalog.Kinds))
	for i, k := range h.catalog.Kinds {
		paths[i] = "/v1/" + k.Path
	}
	return paths
}

func (h *handler) refuse(r *events.APIGatewayV2HTTPRequest, p *envelope.Problem) events.APIGatewayV2HTTPResponse {
	h.reporter.refused(envelope.HTTP, r.RequestContext.RequestID, p)
	return p.Response()
}

// errOpen makes Lambda deliver a message again: its events have identities, so what
// was stored the first time is not stored twice.
var errOpen = errors.New("some observations could not be settled in time")

// iot takes in what an IoT rule sends. It answers how many observations met which
// verdict; an error asks for the same delivery once more.
func (h *handler) iot(ctx context.Context, payload []byte) (map[model.Verdict]int, error) {
	messages := envelope.FromRule(payload, requestID(ctx), h.kind, h.limits.Observations)
	verdicts := make(map[model.Verdict]int)
	fates, err := h.take(ctx, envelope.IoT, messages)
	for _, f := range fates {
		verdicts[f.verdict]++
		if f.open && err == nil {
			err = errOpen
		}
	}
	return verdicts, err
}

// batch takes in what a queue or a data stream hands over. Its records are settled
// each by itself, though what they hold of a series is appended together.
func (h *handler) batch(ctx context.Context, door envelope.Door, payload []byte) (any, error) {
	messages, err := envelope.FromBatch(door, payload, h.kind, h.limits.Observations)
	if err != nil {
		return nil, err
	}
	fates, err := h.take(ctx, door, messages)
	if err != nil {
		h.reporter.log.Error("batch failed in part", telemetry.FieldRequestID, requestID(ctx), telemetry.FieldError, err)
	}
	return envelope.BatchAnswerOf(door, messages, func(i int) bool { return fates[i].open }), nil
}

// requestID names the invocation; an asynchronous one that is retried keeps it.
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}
