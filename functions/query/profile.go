package main

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// profile returns the profile of a subject.
func (h *Handler) profile(ctx context.Context, res resource, args params) (any, error) {
	consistent := args.consistent()
	if args.err() != nil {
		return nil, args.err()
	}
	p, err := h.Query.Profile(ctx, res.Subject(), consistent)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, problemNoProfile.New("%s has none; it may still have events: read one of its kinds",
			res.Subject())
	}
	view := views.NewProfile(p)
	if at, seen, err := h.lastSeen(ctx, res); err != nil {
		return nil, err
	} else if seen {
		view.LastSeenAt = &at
	}
	return view, nil
}

// lastSeen returns the time of the subject's newest event. ok is false if no kind of its
// type has latest items.
func (h *Handler) lastSeen(ctx context.Context, res resource) (at model.Time, ok bool, _ error) {
	for _, k := range h.Catalog.SubjectKinds(res.series.Kind.Subject) {
		if k.HasLatest() && h.Subjects != nil {
			return h.Subjects.LastSeen(ctx, res.Subject())
		}
	}
	return 0, false, nil
}

// purge returns how far the purge of a subject has come.
func (h *Handler) purge(ctx context.Context, res resource, _ params) (any, error) {
	state, err := h.Purger.Progress(ctx, res.Subject())
	switch {
	case errors.Is(err, lifecycle.ErrNoPurge):
		return nil, httpapi.ProblemNoPurge.New("%s has no purge, or its lock has ended", res.Subject())
	case err != nil:
		return nil, err
	}
	return views.NewPurge(state), nil
}
