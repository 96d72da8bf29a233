package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// correctEvent replaces the fields of a stored event.
func (h *handler) correctEvent(ctx context.Context, c command) (httpapi.Response, error) {
	key := c.EventKey(c.query.Get("stream"))
	expect, badHash := c.ExpectedHash()
	strict, badFlag := c.query.Boolean("strict")
	fields, badFields := c.EventFields(h.limits)
	if problem := cmp.Or(badHash, badFlag, badFields); problem != nil {
		return httpapi.Response{}, problem
	}
	edit, err := h.events.Correct(ctx, c.Kind, ingest.TypedObservation{
		Subject: key.Series.Subject.ID, Stream: key.Series.Stream, At: key.At, ID: key.ID, Attrs: fields,
		Strict: strict,
	}, expect)
	var invalid model.FieldErrors
	if errors.As(err, &invalid) {
		p := httpapi.ProblemRejected.New("%v; nothing was changed", invalid)
		p.Errors = invalid
		return httpapi.Response{}, p
	}
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.EditResponse(key, edit), nil
}

// deleteEvent deletes a stored event.
func (h *handler) deleteEvent(ctx context.Context, c command) (httpapi.Response, error) {
	key := c.EventKey(c.query.Get("stream"))
	expect, badHash := c.ExpectedHash()
	if badHash != nil {
		return httpapi.Response{}, badHash
	}
	edit, err := h.events.Delete(ctx, c.Kind, key, expect)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.EditResponse(key, edit), nil
}
