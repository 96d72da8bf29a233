package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// messageResult is the result of one message from a source without a caller.
type messageResult struct {
	outcome model.Outcome
	retry   bool // it may be neither stored nor in quarantine, and must be delivered again
}

// appendMessages appends messages, one kind after another, and quarantines those that are
// rejected or collide with a stored event. It returns one result for each message, in order, even with an
// error.
func (h *handler) appendMessages(ctx context.Context, source envelope.Source,
	messages []envelope.Message) ([]messageResult, error) {
	results := make([]messageResult, len(messages))
	var failures []error
	for _, positions := range byKind(messages) {
		failures = append(failures, h.appendOneKind(ctx, source, messages, positions, results))
	}
	return results, errors.Join(failures...)
}

// appendOneKind appends the messages at positions, which are of one kind, and sets their results.
func (h *handler) appendOneKind(ctx context.Context, source envelope.Source, messages []envelope.Message,
	positions []int, results []messageResult) error {
	group := lists.Map(positions, func(position int) envelope.Message { return messages[position] })
	kind, appended, err := h.append(ctx, group)
	quarantined := 0
	for i, a := range appended {
		retry := a.Outcome == model.Unknown
		if a.Outcome == model.Rejected || a.Outcome == model.Collision {
			failure := h.quarantine(ctx, source, group[i], a)
			err, retry = errors.Join(err, failure), failure != nil
			if failure == nil {
				quarantined++
			}
		}
		results[positions[i]] = messageResult{a.Outcome, retry}
	}
	h.reporter.quarantined(kind, quarantined)
	h.reporter.appended(source, requestID(ctx), kind, appended, err)
	return err
}

// append also returns the kind's name for metrics, "" for an unknown kind: a name that a
// device sent must not become a metric's dimension.
func (h *handler) append(ctx context.Context,
	messages []envelope.Message) (string, []model.AppendResult, error) {
	kind, known := h.appends.Catalog.Kind(messages[0].Kind)
	if !known || !kind.HasEvents() {
		return "", rejectUnknownKind(messages), nil
	}
	withTime := func(m envelope.Message) ingest.Observation { return arrived(kind, m) }
	observations := lists.Map(messages, withTime)
	results, err := h.service.Append(ctx, kind, observations...)
	return kind.Name, results, err
}

// rejectUnknownKind rejects messages whose kind is not in the catalog.
func rejectUnknownKind(messages []envelope.Message) []model.AppendResult {
	results := make([]model.AppendResult, len(messages))
	for i, m := range messages {
		results[i] = model.AppendResult{Outcome: model.Rejected, Errors: []model.FieldError{{
			Field: envelope.RuleKind,
			Code:  ingest.CodeUnknownKind,
			Message: fmt.Sprintf(
				"no kind with stored events is named %q: declare it in tidemark.yaml, or correct the "+
					"rule's SELECT or the sender", m.Kind),
		}}}
	}
	return results
}

func (h *handler) quarantine(ctx context.Context, source envelope.Source, m envelope.Message,
	result model.AppendResult) error {
	return h.service.Quarantine(ctx, ingest.Rejection{
		Source:  string(source),
		Origin:  m.Origin,
		Subject: result.Key.Series.Subject,
		Sender:  m.Sender,
		Errors:  reasons(result),
		Payload: m.Payload,
	})
}

// reasons returns why a message is quarantined.
func reasons(result model.AppendResult) []model.FieldError {
	if result.Outcome != model.Collision {
		return result.Errors
	}
	return []model.FieldError{{
		Code: ingest.CodeCollision,
		Message: fmt.Sprintf(
			"an event of %s with this time (%s) and id (%q) is stored with other fields: send ids, "+
				"send all fields in one message, or declare onCollision: merge",
			result.Key.Series, result.Key.At, result.Key.ID),
	}}
}

// byKind groups messages by kind, in the order in which the kinds first occur. It returns
// the positions of each group's messages.
func byKind(messages []envelope.Message) [][]int {
	var groups [][]int
	groupOf := make(map[string]int)
	for position, m := range messages {
		i, ok := groupOf[m.Kind]
		if !ok {
			i = len(groups)
			groupOf[m.Kind], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], position)
	}
	return groups
}
