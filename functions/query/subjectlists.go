package main

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ofIndex are the parameters of a list of profiles by an index.
var ofIndex = []string{"field", "value", "valueFrom", "valueTo", "descending"}

// subjects returns a page of all subjects, of those that an index finds by their profiles, or of those that
// were deleted.
func (h *Handler) subjects(ctx context.Context, res resource, args params) (any, error) {
	deleted, q := args.boolean("deleted"), lifecycle.ProfileQuery{
		SubjectType: res.Subject().Type, Descending: args.boolean("descending"), Limit: args.limit(),
		From: args.bound("valueFrom"), To: args.bound("valueTo"),
	}
	if args.err() != nil {
		return nil, args.err()
	}
	if !args.values.Has("deleted") && !slices.ContainsFunc(ofIndex, args.values.Has) {
		return h.everything(ctx, res, args, q.Limit)
	}
	var err error
	if q.After, err = openCursor[lifecycle.Cursor](h, args, res.listScope(args)); err != nil {
		return nil, err
	}
	found, err := h.list(ctx, args, deleted, q)
	if err != nil {
		return nil, err
	}
	found.Profiles = lists.Filter(found.Profiles, func(p model.Profile) bool {
		return res.owner.Owns(p.Subject.ID)
	})
	v := views.Subjects{Subjects: lists.Map(found.Profiles, func(p model.Profile) views.Profile {
		return views.NewProfile(&p)
	})}
	v.Next, err = sealCursor(h, found.Next, res.listScope(args))
	return v, err
}

// bound returns a bound of the values of a field, null if the request has none.
func (p params) bound(name string) model.Value {
	if !p.values.Has(name) {
		return model.Value{}
	}
	return model.TextValue(p.text(name))
}

// listScope identifies a list of subjects, see sealCursor.
func (r resource) listScope(args params) []string {
	scope := []string{"subjects", r.Subject().Type, args.text("field"), args.text("value"), args.text("deleted")}
	for _, name := range ofIndex { // further parts, so that a list by one field has the cursors that it had
		given := args.all(name)
		if name == "field" || name == "value" {
			given = given[min(1, len(given)):]
		}
		for _, text := range given {
			scope = append(scope, name, text)
		}
	}
	return scope
}

// list reads the page of subjects after a cursor.
func (h *Handler) list(ctx context.Context, args params, deleted bool,
	q lifecycle.ProfileQuery) (page lifecycle.ProfilePage, _ error) {
	fields, values := args.all("field"), args.all("value")
	q.By = map[string]string{}
	for i, field := range fields[:min(len(fields), len(values))] {
		q.By[field] = values[i]
	}
	_, named := q.By[""]
	switch {
	case deleted && slices.ContainsFunc(ofIndex, args.values.Has):
		return page, problemNoSuchList.New(
			"deleted subjects are in no index: leave out deleted, or %s", strings.Join(ofIndex, ", "))
	case deleted:
		return h.Subjects.ListDeleted(ctx, q.SubjectType, q.After, q.Limit)
	case len(q.By) == 0, named, slices.Contains(values, ""), len(fields) != len(values):
		return page, problemNoSuchList.New("want ?field=status&value=active, a value after each field, "+
			"or ?deleted=true; %s", h.indexed(q.SubjectType))
	case len(q.By) < len(fields):
		return page, problemNoSuchList.New("a field is there twice: send each with one value")
	}
	return h.Subjects.List(ctx, q)
}

// indexed says which fields of the subject type's profiles are indexed.
func (h *Handler) indexed(subjectType string) string {
	fields := lists.Map(h.Catalog.Profile(subjectType).Indexes, func(x catalog.ProfileIndex) string {
		return strings.Join(x.By(), " and ")
	})
	if len(fields) == 0 {
		return "the subject type has no indexed fields"
	}
	slices.Sort(fields)
	return "indexed fields: " + strings.Join(fields, ", ")
}
