package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// deleted returns a deleted subject that can still be restored.
func (h *Handler) deleted(ctx context.Context, res resource, _ params) (any, error) {
	p, err := h.Subjects.Deleted(ctx, res.Subject())
	return shown(p, err, views.NewProfile, func() *httpapi.Problem {
		return httpapi.ProblemNoSubject.New("%s is not deleted, or can no longer be restored", res.Subject())
	})
}

// versions returns a page of the versions of a profile.
func (h *Handler) versions(ctx context.Context, res resource, args params) (any, error) {
	limit, before := args.limit(), args.number("before")
	if args.err() != nil {
		return nil, args.err()
	}
	page, next, err := h.Subjects.Versions(ctx, res.Subject(), before, limit)
	if err != nil {
		return nil, err
	}
	v := views.Versions{Versions: lists.Map(page, func(p model.ProfileVersion) views.Profile {
		return views.NewVersion(&p)
	})}
	if next != 0 {
		v.Before = &next
	}
	return v, nil
}

// version returns one version of a profile.
func (h *Handler) version(ctx context.Context, res resource, _ params) (any, error) {
	n, err := strconv.ParseInt(res.Values["version"], 10, 64)
	if err != nil || n < 1 {
		return nil, httpapi.ProblemNoSubject.New("version %.32q: want a number from 1", res.Values["version"])
	}
	v, err := h.Subjects.Version(ctx, res.Subject(), n)
	return shown(v, err, views.NewVersion, func() *httpapi.Problem {
		return httpapi.ProblemNoSubject.New("%s has no version %d, or the version has expired", res.Subject(), n)
	})
}

// series returns the series of one subject. The progress is read before them: what is processed by then is
// listed.
func (h *Handler) series(ctx context.Context, res resource, _ params) (any, error) {
	progress, err := h.Query.StreamProgress(ctx)
	if err != nil {
		return nil, err
	}
	all, err := paging.Collect(h.Query.EachSeries(ctx, query.SeriesList{Subject: res.Subject()}))
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, h.unlisted(ctx, res.Subject())
	}
	return views.NewSubjectSeries(all, h.Catalog, progress), nil
}

// unlisted returns why a subject is not in the list of series.
func (h *Handler) unlisted(ctx context.Context, subject model.Subject) error {
	has, err := h.Query.HasEvents(ctx, h.Catalog, subject)
	switch {
	case err != nil:
		return err
	case has:
		return httpapi.ProblemNoSubject.New("the events of %s are not processed yet: try again", subject)
	}
	return httpapi.ProblemNoSubject.New("%s has no events and no profile", subject)
}

// silent returns a page of the subjects of a type that have no event of the span before what is processed.
func (h *Handler) silent(ctx context.Context, res resource, args params) (any, error) {
	limit := args.limit()
	q, progress, err := h.silentQuery(ctx, res, args, res.Type)
	if err != nil {
		return nil, err
	}
	q.Limit = limit
	page, err := h.Query.Silent(ctx, q)
	return views.NewSilent(page, q.Through, progress), err
}

// countSilent counts the silent members of the groups of a kind, and with members all of them. A page counts
// as many subjects as it may look at.
func (h *Handler) countSilent(ctx context.Context, res resource, args params) (any, error) {
	of, _ := h.Catalog.Kind(res.Kind.GroupsOf) // a kind of groups has it
	q, progress, err := h.silentQuery(ctx, res, args, of.Subject)
	if err != nil {
		return nil, err
	}
	q.By = res.Kind
	if q.Members = args.boolean("members"); args.err() != nil {
		return nil, args.err()
	}
	page, err := h.Query.Silent(ctx, q)
	return views.NewSilentCounts(q, query.CountSilent(page.Subjects), page.Next, progress), err
}

// silentQuery returns the request for the silent subjects of a type.
func (h *Handler) silentQuery(ctx context.Context, res resource, args params, of catalog.SubjectType) (
	q query.Silent, progress query.Progress, err error) {
	q = query.Silent{
		SubjectType: of.Name, Prefix: res.owner.Prefix(), Kinds: query.CatalogKinds(h.Catalog),
		Kind: h.silentKind(of.Name, args), For: args.silentFor(), Cursor: args.text("cursor"),
	}
	if args.err() != nil {
		return q, progress, args.err()
	}
	if progress, err = h.Progress(ctx); err == nil {
		q.Through, err = h.Query.SilentThrough(ctx, h.Catalog.SubjectKinds(of), progress)
	}
	if err != nil {
		return q, progress, fmt.Errorf("read the progress of %s: %w", of.Name, err)
	}
	return q, progress, nil
}

// silentKind returns the name of the kind in the parameters; "" means any.
func (h *Handler) silentKind(subjectType string, args params) string {
	if !args.values.Has("kind") {
		return ""
	}
	kind, known := h.Catalog.ByPath(args.text("kind"))
	if !known || kind.Subject.Name != subjectType {
		problem := problemUnknownKind.New("kind: %.64q is no kind of %s", args.text("kind"), subjectType)
		args.fail(problem)
		return ""
	}
	return kind.Name
}

// everything returns a page of all subjects of a type.
func (h *Handler) everything(ctx context.Context, res resource, args params, limit int) (any, error) {
	progress, err := h.Query.StreamProgress(ctx)
	if err != nil {
		return nil, err
	}
	page, err := h.Query.Series(ctx, query.SeriesList{
		Subject: model.Subject{Type: res.Subject().Type}, Prefix: res.owner.Prefix(),
		Limit: limit, Cursor: args.text("cursor"),
	})
	return views.NewListedSubjects(page, h.Catalog, progress), err
}
