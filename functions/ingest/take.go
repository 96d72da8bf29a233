package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// fate is what became of one message at a door where nobody is told.
type fate struct {
	verdict model.Verdict
	open    bool // neither appended nor kept in quarantine for sure: it must come again
}

// take appends messages, kind by kind, and sets aside those that are rejected. It
// answers a fate each, in their order, whatever the error is.
func (h *handler) take(ctx context.Context, door envelope.Door, messages []envelope.Message) ([]fate, error) {
	fates := make([]fate, len(messages))
	var failures []error
	for _, places := range byKind(messages) {
		failures = append(failures, h.takeKind(ctx, door, messages, places, fates))
	}
	return fates, errors.Join(failures...)
}

// takeKind settles the messages at some places, which name one kind.
func (h *handler) takeKind(ctx context.Context, door envelope.Door, messages []envelope.Message, places []int, fates []fate) error {
	group := make([]envelope.Message, len(places))
	for i, place := range places {
		group[i] = messages[place]
	}
	kind, outcomes, err := h.append(ctx, group)
	kept := 0
	for i, o := range outcomes {
		open := o.Verdict == model.Unknown
		if o.Verdict == model.Rejected {
			failure := h.setAside(ctx, door, group[i], o)
			err, open = errors.Join(err, failure), failure != nil
		}
		if o.Verdict == model.Rejected && !open {
			kept++
		}
		fates[places[i]] = fate{o.Verdict, open}
	}
	h.reporter.setAside(kind, kept)
	h.reporter.appended(door, requestID(ctx), kind, outcomes, err)
	return err
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
			Message: fmt.Sprintf("no kind is named %q: declare it in tidemark.yaml, or correct the rule's SELECT, or the sender", m.Kind),
		}}}
	}
	return outcomes
}

func (h *handler) setAside(ctx context.Context, door envelope.Door, m envelope.Message, o model.Outcome) error {
	return h.service.SetAside(ctx, ingest.Rejection{
		Door:    string(door),
		Origin:  m.Origin,
		Subject: o.Key.Series.Subject,
		Errors:  o.Errors,
		Payload: m.Payload,
	})
}

// byKind parts messages by the kind they name, in the order of first mention; it
// answers their places.
func byKind(messages []envelope.Message) [][]int {
	var groups [][]int
	at := make(map[string]int)
	for place, m := range messages {
		i, ok := at[m.Kind]
		if !ok {
			i = len(groups)
			at[m.Kind], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], place)
	}
	return groups
}
