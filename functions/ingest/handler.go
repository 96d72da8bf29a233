package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/config"
	"github.com/tidemark-db/tidemark/pkg/envelope"
	"github.com/tidemark-db/tidemark/pkg/ingest"
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
}

// table is what the handler needs of one.
type table interface {
	ingest.Store
	ingest.Quarantine
}

func newHandler(conf *config.Config, kind string, store table, r *reporter) (*handler, error) {
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
		Patience:     ingest.Patience{Room: room},
		Retried:      r.retried,
		KeepRejected: conf.Quarantine.Retention,
	}
	return &handler{service: service, catalog: kinds, limits: conf.Limits, kind: kind, reporter: r}, nil
}

func (h *handler) handle(ctx context.Context, payload json.RawMessage) (any, error) {
	defer h.reporter.close()
	if envelope.DoorOf(payload) == envelope.HTTP {
		var r events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, fmt.Errorf("read the request of the HTTP API: %w", err)
		}
		return h.http(ctx, &r), nil
	}
	return h.iot(ctx, payload)
}

// http answers POST /v1/{kinds}.
func (h *handler) http(ctx context.Context, r *events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
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
		return envelope.ProblemInternal.New("some of it may be stored; sending it again is safe").Response()
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
	delivery := requestID(ctx)
	verdicts, failures := make(map[model.Verdict]int), []error{}
	for _, group := range byKind(envelope.FromRule(payload, delivery, h.kind, h.limits.Observations)) {
		outcomes, err := h.take(ctx, delivery, group)
		if err == nil && ingest.Undecided(outcomes) {
			err = errOpen
		}
		failures = append(failures, err)
		for _, o := range outcomes {
			verdicts[o.Verdict]++
		}
	}
	return verdicts, errors.Join(failures...)
}

// take appends messages of one kind and sets aside those that are rejected.
func (h *handler) take(ctx context.Context, delivery string, messages []envelope.Message) ([]model.Outcome, error) {
	kind, outcomes, err := h.append(ctx, messages)
	kept := 0
	for i, o := range outcomes {
		if o.Verdict != model.Rejected {
			continue
		}
		if failure := h.setAside(ctx, messages[i], o); failure != nil {
			err = errors.Join(err, failure)
			continue
		}
		kept++
	}
	h.reporter.setAside(kind, kept)
	h.reporter.appended(envelope.IoT, delivery, kind, outcomes, err)
	return outcomes, err
}

// append answers the kind's name too, "" where it is unknown: what a device made up
// names no metric.
func (h *handler) append(ctx context.Context, messages []envelope.Message) (string, []model.Outcome, error) {
	kind, known := h.catalog.Kind(messages[0].Kind)
	if !known {
		return "", unknownKind(messages), nil
	}
	observations := make([]ingest.Observation, len(messages))
	for i, m := range messages {
		observations[i] = m.Observation
	}
	outcomes, err := h.service.Append(ctx, kind, observations...)
	return kind.Name, outcomes, err
}

// unknownKind rejects messages whose kind nobody declared.
func unknownKind(messages []envelope.Message) []model.Outcome {
	outcomes := make([]model.Outcome, len(messages))
	for i, m := range messages {
		outcomes[i] = model.Outcome{Verdict: model.Rejected, Errors: []model.FieldError{{
			Field:   envelope.RuleKind,
			Code:    ingest.CodeUnknownKind,
			Message: fmt.Sprintf("no kind is named %q: declare it in tidemark.yaml, or correct the rule's SELECT", m.Kind),
		}}}
	}
	return outcomes
}

func (h *handler) setAside(ctx context.Context, m envelope.Message, o model.Outcome) error {
	return h.service.SetAside(ctx, ingest.Rejection{
		Door:    string(envelope.IoT),
		Origin:  m.Origin,
		Subject: o.Key.Series.Subject,
		Errors:  o.Errors,
		Payload: m.Payload,
	})
}

// byKind parts messages by the kind they name, in the order of first mention.
func byKind(messages []envelope.Message) [][]envelope.Message {
	var groups [][]envelope.Message
	at := make(map[string]int)
	for _, m := range messages {
		i, ok := at[m.Kind]
		if !ok {
			i = len(groups)
			at[m.Kind], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], m)
	}
	return groups
}

// requestID names the invocation; an asynchronous one that is retried keeps it.
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}
