package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

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
	v := envelope.Versions{Versions: make([]envelope.Profile, len(page))}
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
		return nil, envelope.ProblemNoPurge.New("of %s, or it was done more than two days ago", asked.subject())
	case err != nil:
		return nil, err
	case at.Done:
		return purgeView{Purge: at.Receipt.Purge, Step: at.Purge.Step, Receipt: &at.Receipt}, nil
	}
	return purgeView{Purge: at.Purge.ID, Step: at.Purge.Step, Due: &at.Purge.Due, Resume: &at.Resume, Removed: at.Purge.Counts}, nil
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
	after, err := h.openCursor(asked, given)
	if err != nil {
		return nil, err
	}
	found, err := h.list(ctx, asked.subject().Type, given, after, limit)
	if err != nil {
		return nil, err
	}
	v := envelope.Subjects{Subjects: make([]envelope.Profile, len(found.Profiles))}
	for i := range found.Profiles {
		v.Subjects[i] = envelope.ProfileOf(&found.Profiles[i])
	}
	v.Next, err = h.sealCursor(found.Next, asked, given)
	return v, err
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

// sealCursor puts a place in a list into a word that opens for that list alone.
func (h *Handler) sealCursor(next lifecycle.Cursor, asked target, given params) (*string, error) {
	if next == (lifecycle.Cursor{}) {
		return nil, nil
	}
	place, err := json.Marshal(next)
	if err != nil {
		return nil, err
	}
	sealed, err := h.Query.Seal(place, asked.list(given)...)
	return &sealed, err
}

func (h *Handler) openCursor(asked target, given params) (after lifecycle.Cursor, err error) {
	place, err := h.Query.Open(given.text("cursor"), asked.list(given)...)
	if err != nil || place == nil {
		return after, err
	}
	return after, json.Unmarshal(place, &after)
}

// list is what tells a list of subjects from any other.
func (t target) list(given params) []string {
	return []string{"subjects", t.subject().Type, given.text("field"), given.text("value"), given.text("deleted")}
}
