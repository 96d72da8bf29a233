package main

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/ops/repair/hidevalue"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The parameters of a purge that removes a value from rollups.
const (
	rollupsValue = "rollupsValue"
	rollupsKind  = "rollupsKind"
)

// hideValue removes the value of ?rollupsValue=path=/reset/abc from the rollups of a subject, of all kinds
// or of ?rollupsKind=pageviews. It reads all events and rollups of these kinds, so a request may end before
// it is done: the caller repeats it with the cursor.
func (h *handler) hideValue(ctx context.Context, c command, dry bool) (httpapi.Response, error) {
	selection, problem := h.value(c)
	if problem != nil {
		return httpapi.Response{}, problem
	}
	selection.DryRun = dry
	at, err := hidevalue.ParsePosition(c.query.Get("cursor"))
	if err != nil {
		return httpapi.Response{}, httpapi.ProblemQuery.New("cursor: want next of an earlier response: %v", err)
	}
	r, err := h.hider.Hide(ctx, selection, &at)
	done := views.HiddenValue{
		Removed: r.Rows, Events: r.Events, Unreadable: r.Unreadable, Damaged: r.Damaged,
		Groups: lists.Map(r.Groups, h.path), AllGroups: r.AllGroups,
		Remains: h.purges.EventCopies(),
	}
	switch {
	case errors.Is(err, hidevalue.ErrNoDimension):
		return httpapi.Response{}, httpapi.ProblemQuery.New("%s: %v", rollupsValue, err)
	case !dry && r.Events+r.Unreadable > 0:
		return httpapi.Response{}, httpapi.ProblemValueStored.New("%d stored events have the value, and %d that "+
			"cannot be decoded may: rollups follow events, so remove these first, with %s", r.Events, r.Unreadable,
			eventsWhere)
	case ctx.Err() != nil:
		done.Next = new(at.String())
	case err != nil:
		return httpapi.Response{}, err
	}
	return httpapi.JSON(http.StatusOK, views.Purge{Value: &done}), nil
}

// path returns a subject as commands and routes name it, such as by-site/berlin.
func (h *handler) path(s model.Subject) string {
	of, _ := h.catalog.SubjectType(s.Type)
	return of.Path + "/" + s.ID
}

// value returns the value that a request chooses.
func (h *handler) value(c command) (s hidevalue.Selection, problem *httpapi.Problem) {
	field, value, ok := strings.Cut(c.query.Get(rollupsValue), "=")
	if !ok || field == "" {
		return s, httpapi.ProblemQuery.New("%s: want field=value, such as path=/reset/abc", rollupsValue)
	}
	s = hidevalue.Selection{Subject: c.Subject(), Field: field, Value: value}
	kind, problem := h.kindOfSubject(c, rollupsKind)
	if kind != nil {
		s.Kind = kind.Name
	}
	return s, problem
}
