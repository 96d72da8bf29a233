package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/envelope"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The routes of a subject's life.
var (
	subjectsRoute = &route{(*Handler).subjects, []string{"field", "value", "deleted", "limit", "cursor"}}
	deletedRoute  = &route{(*Handler).deleted, nil}
	versionsRoute = &route{(*Handler).versions, []string{"before", "limit"}}
	versionRoute  = &route{(*Handler).version, nil}
	purgeRoute    = &route{(*Handler).purge, nil}
)

// lifeOf reads what follows a subject type where it asks for a subject's life:
//
//	""                        subjects, by a field or deleted
//	{id}/deleted              the tombstone
//	{id}/versions[/{n}]       the versions, or one
//	{id}/purge                how far a purge is
func lifeOf(kinds []*catalog.Kind, parts []string) (target, bool) {
	n, t := len(parts), target{}
	switch {
	case n == 0:
		t.route = subjectsRoute
	case n > 1 && parts[n-1] == catalog.WordDeleted:
		t.route, n = deletedRoute, n-1
	case n > 1 && parts[n-1] == catalog.WordVersions:
		t.route, n = versionsRoute, n-1
	case n > 1 && parts[n-1] == catalog.WordPurge:
		t.route, n = purgeRoute, n-1
	case n > 2 && parts[n-2] == catalog.WordVersions:
		t.route, t.value, n = versionRoute, parts[n-1], n-2
	default:
		return target{}, false
	}
	t.series.Kind, t.series.Subject = kinds[0], strings.Join(parts[:n], "/")
	return t, true
}

func (t target) subject() model.Subject {
	return model.Subject{Type: t.series.Kind.Subject.Name, ID: t.series.Subject}
}

func (h *Handler) deleted(ctx context.Context, asked target, _ params) (any, error) {
	p, err := h.Life.Deleted(ctx, asked.subject())
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, envelope.ProblemNoSubject.New("%s is not deleted, or was so long ago that it is gone", asked.subject())
	}
	return envelope.ProfileOf(p), nil
}

type versionsView struct {
	Versions []envelope.Profile `json:"versions"`
	Before   *int64             `json:"before"` // of the next page; null on the last
}

func (h *Handler) versions(ctx context.Context, asked target, given params) (any, error) {
	limit, err := given.limit()
	if err != nil {
		return nil, err
	}
	before, err := given.number("before")
	if err != nil {
		return nil, err
	}
	page, next, err := h.Life.Versions(ctx, asked.subject(), before, limit)
	if err != nil {
		return nil, err
	}
	v := versionsView{Versions: make([]envelope.Profile, len(page))}
	for i := range page {
		v.Versions[i] = envelope.VersionOf(&page[i])
	}
	if next != 0 {
		v.Before = &next
	}
	return v, nil
}

func (h *Handler) version(ctx context.Context, asked target, _ params) (any, error) {
	n, err := strconv.ParseInt(asked.value, 10, 64)
	if err != nil || n < 1 {
		return nil, envelope.ProblemNoSubject.New("version %.32q: want a number from 1", asked.value)
	}
	v, err := h.Life.Version(ctx, asked.subject(), n)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, envelope.ProblemNoSubject.New("%s has no version %d, or it is kept no longer", asked.subject(), n)
	}
	return envelope.VersionOf(v), nil
}

type purgeView struct {
	Purge   string             `json:"purge"`
	Step    model.PurgeStep    `json:"step"`
	Due     *model.Time        `json:"due,omitempty"`
	Resume  *model.Time        `json:"resume,omitempty"` // nothing is to be done before
	Removed []model.PurgeCount `json:"removed,omitempty"`
	Receipt *lifecycle.Receipt `json:"receipt,omitempty"` // once it is done, until the gate is lifted
}

func (h *Handler) purge(ctx context.Context, asked target, _ params) (any, error) {
	at, err := h.Purger.At(ctx, asked.subject())
	switch {
	case errors.Is(err, lifecycle.ErrNoPurge):
		return nil, problemNoPurge.New("of %s, or it was done more than two days ago", asked.subject())
	case err != nil:
		return nil, err
	case at.Done:
		return purgeView{Purge: at.Receipt.Purge, Step: at.Purge.Step, Receipt: &at.Receipt}, nil
	}
	return purgeView{Purge: at.Purge.ID, Step: at.Purge.Step, Due: &at.Purge.Due, Resume: &at.Resume, Removed: at.Purge.Counts}, nil
}

type subjectsView struct {
	Subjects []envelope.Profile `json:"subjects"`
	Next     *string            `json:"next"`
}

// subjects lists those that have a value of an indexed field, or were deleted. Who is
// bound to an owner has no list: it goes over the subjects of all.
func (h *Handler) subjects(ctx context.Context, asked target, given params) (any, error) {
	if h.Owner != "" {
		return nil, envelope.ProblemForeign.New("a list goes over the subjects of all owners: ask for one subject")
	}
	limit, err := given.limit()
	if err != nil {
		return nil, err
	}
	after, err := openCursor(given.text("cursor"))
	if err != nil {
		return nil, err
	}
	found, err := h.list(ctx, asked.subject().Type, given, after, limit)
	if err != nil {
		return nil, err
	}
	v := subjectsView{Subjects: make([]envelope.Profile, len(found.Profiles))}
	for i := range found.Profiles {
		v.Subjects[i] = envelope.ProfileOf(&found.Profiles[i])
	}
	v.Next = sealCursor(found.Next)
	return v, nil
}

func (h *Handler) list(ctx context.Context, subjectType string, given params, after lifecycle.Cursor, limit int) (lifecycle.Found, error) {
	deleted, err := given.boolean("deleted")
	switch {
	case err != nil:
		return lifecycle.Found{}, err
	case deleted:
		return h.Life.ListDeleted(ctx, subjectType, after, limit)
	case given.text("field") == "" || given.text("value") == "":
		return lifecycle.Found{}, problemList.New("want field and value, as ?field=status&value=active, or ?deleted=true; %s", h.indexed(subjectType))
	}
	return h.Life.ByField(ctx, subjectType, given.text("field"), given.text("value"), after, limit)
}

// indexed says by which fields the profiles of a subject type are found.
func (h *Handler) indexed(subjectType string) string {
	var fields []string
	for _, x := range h.Catalog.Profile(subjectType).Indexes {
		fields = append(fields, x.Field)
	}
	if len(fields) == 0 {
		return "no field of theirs is indexed"
	}
	slices.Sort(fields)
	return "indexed are " + strings.Join(fields, ", ")
}

// sealCursor and openCursor put a position into one word. It is no secret, and forged
// it shows nothing that another would not.
func sealCursor(c lifecycle.Cursor) *string {
	if c == (lifecycle.Cursor{}) {
		return nil
	}
	text, _ := json.Marshal(c) // plain data: cannot fail
	sealed := base64.RawURLEncoding.EncodeToString(text)
	return &sealed
}

func openCursor(text string) (c lifecycle.Cursor, err error) {
	if text == "" {
		return c, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil {
		return lifecycle.Cursor{}, problemCursor.New("start again without a cursor")
	}
	return c, nil
}
