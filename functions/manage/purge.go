package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// purge removes some events or a value at once, or requests the purge of the whole subject.
func (h *handler) purge(ctx context.Context, c command) (httpapi.Response, error) {
	dry, problem := c.query.Boolean("dryRun")
	if problem != nil {
		return httpapi.Response{}, problem
	}
	whole, some := h.requestPurge, 0
	for _, part := range []struct {
		chosen, kind string
		remove       func(context.Context, command, bool) (httpapi.Response, error)
	}{
		{chosen: eventsWhere, kind: eventsKind, remove: h.eraseEvents},
		{chosen: rollupsValue, kind: rollupsKind, remove: h.hideValue},
	} {
		switch {
		case c.query.Has(part.chosen):
			whole, some = part.remove, some+1
		case c.query.Has(part.kind):
			return httpapi.Response{}, httpapi.ProblemQuery.New("%s needs %s", part.kind, part.chosen)
		}
	}
	switch {
	case some > 1:
		return httpapi.Response{}, httpapi.ProblemQuery.New("%s and %s: remove the events first, "+
			"then the value from the rollups", eventsWhere, rollupsValue)
	case some == 0 && c.query.Has("cursor"):
		return httpapi.Response{}, httpapi.ProblemQuery.New("cursor needs %s or %s", eventsWhere, rollupsValue)
	case some > 0 && c.query.Has("graceHours"):
		return httpapi.Response{}, httpapi.ProblemQuery.New("graceHours: events and values are removed at once")
	}
	return whole(ctx, c, dry)
}

// requestPurge stores a purge request, which function purge starts within a minute. ?dryRun=true only counts
// what a purge would remove; ?graceHours=72 delays the start, so that the request can be cancelled.
func (h *handler) requestPurge(ctx context.Context, c command, dry bool) (httpapi.Response, error) {
	if dry {
		counts, err := h.purges.Count(ctx, c.Subject())
		return httpapi.JSON(http.StatusOK, views.Purge{Would: counts}), err
	}
	hours, err := strconv.Atoi(cmp.Or(c.query.Get("graceHours"), "0"))
	if err != nil || hours < 0 || hours > 24*366 {
		return httpapi.Response{},
			httpapi.ProblemQuery.New("graceHours: want a whole number of hours, at most a year")
	}
	p, err := h.purges.Request(ctx, c.Subject(), c.Caller(), time.Duration(hours)*time.Hour)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.JSON(http.StatusAccepted,
		views.Purge{ID: p.ID, Step: p.Step, Due: &p.DueAt, Removed: p.Counts}), nil
}

// cancelPurge removes a purge request, if the purge has not started.
func (h *handler) cancelPurge(ctx context.Context, c command) (httpapi.Response, error) {
	switch err := h.purges.Cancel(ctx, c.Subject()); {
	case errors.Is(err, lifecycle.ErrNoPurge):
		return httpapi.Response{}, httpapi.ProblemNoPurge.New("there is no purge request to cancel")
	case errors.Is(err, lifecycle.ErrPurgeStarted):
		return httpapi.Response{}, httpapi.ProblemPurgeStarted.New("it can no longer be cancelled")
	case err != nil:
		return httpapi.Response{}, err
	}
	return httpapi.JSON(http.StatusOK, views.Purge{}), nil
}
