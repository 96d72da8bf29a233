package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// described returns flow with a profile.
func described(p catalog.Profile) catalog.Kind {
	k := flow
	k.Subject.Profile = &p
	return k
}

func TestProfile_DefaultsAreFilledInAndSharedByTheKindsOfASubject(t *testing.T) {
	given := catalog.Profile{
		Indexes: []catalog.ProfileIndex{{Field: "status"}},
		Unique:  []catalog.Unique{{Name: "serial", Fields: []string{"serial"}}},
	}
	other := catalog.Kind{Name: "OTHER", Subject: flow.Subject}
	c := mustNew(t, other, described(given))
	want := catalog.Profile{
		Indexes: []catalog.ProfileIndex{{Field: "status", Index: catalog.FirstIndex, Shards: 1}},
		Unique:  []catalog.Unique{{Name: "serial", Fields: []string{"serial"}, Case: catalog.CaseExact}},
		Release: catalog.ReleaseFree,
	}
	if diff := cmp.Diff(want, c.Profile(flow.Subject.Name)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Kinds[0].Subject != c.Kinds[1].Subject || len(c.Subjects()) != 1 {
		t.Errorf("two kinds of one subject type have %d of them", len(c.Subjects()))
	}
	if given.Release != "" || given.Indexes[0].Shards != 0 {
		t.Errorf("the given profile was changed: %+v", given)
	}
	if diff := cmp.Diff(catalog.Profile{Release: catalog.ReleaseFree}, c.Profile("NONE")); diff != "" {
		t.Errorf("of a type without profile (-want +got):\n%s", diff)
	}
}

func TestProfile_EachMistakeIsNamed(t *testing.T) {
	many := make([]catalog.Unique, 41)
	for i := range many {
		many[i] = catalog.Unique{Name: strings.Repeat("u", i+1), Fields: []string{"f"}}
	}
	unique := func(u ...catalog.Unique) catalog.Profile { return catalog.Profile{Unique: u} }
	indexed := func(x ...catalog.ProfileIndex) catalog.Profile { return catalog.Profile{Indexes: x} }
	for _, c := range []struct {
		profile catalog.Profile
		want    string // the field, and a part of the message
	}{
		{catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "a", Index: "gsi3"}}}, "subject.profile.indexes.a want gsi1 or gsi2"},
		{catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "a"}, {Field: "b"}}}, "subject.profile.indexes.b an index has one field"},
		{catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "a", Shards: 65}}}, "subject.profile.indexes.a.shards out of bounds"},
		{catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: ""}}}, "subject.profile.indexes. no name"},
		{indexed(catalog.ProfileIndex{Field: "a", And: []string{"b", "b"}}),
			"subject.profile.indexes.a.and is in the index twice"},
		{indexed(catalog.ProfileIndex{Field: "a", And: []string{"_b"}}),
			"subject.profile.indexes.a.and reserved for Tidemark"},
		{indexed(catalog.ProfileIndex{Field: "a", Sort: []string{"a"}}),
			"subject.profile.indexes.a.sort is in the index twice"},
		{indexed(catalog.ProfileIndex{Field: "a", Sort: []string{""}}),
			"subject.profile.indexes.a.sort has no name"},
		{indexed(catalog.ProfileIndex{Field: "a", Sort: []string{"b", "c", "d", "e", "f"}}),
			"subject.profile.indexes.a.sort at most 4"},
		{indexed(catalog.ProfileIndex{Field: "a", And: []string{"b", "c", "d", "e"}}),
			"subject.profile.indexes.a.and at most 4"},
		{indexed(catalog.ProfileIndex{Field: "a", Sort: []string{"b"}, Shards: 2}),
			"subject.profile.indexes.a.sort remove shards"},
		{indexed(catalog.ProfileIndex{Field: "a", Sort: []string{"b"},
			Types: map[string]catalog.OrderType{"b": "bool"}}), "subject.profile.indexes.a.types no order"},
		{indexed(catalog.ProfileIndex{Field: "a", Types: map[string]catalog.OrderType{"b": "text"}}),
			"subject.profile.indexes.a.types add it to sort"},
		{indexed(catalog.ProfileIndex{Field: "a", Sort: []string{"b"}}, catalog.ProfileIndex{Field: "a",
			Index: "gsi2"}), "subject.profile.indexes.a same fields"},
		{unique(catalog.Unique{Fields: []string{"a"}}), "subject.profile.unique has no name"},
		{unique(catalog.Unique{Name: "u"}), "subject.profile.unique.u.fields missing"},
		{unique(catalog.Unique{Name: "u", Fields: []string{"a", "a"}}), "subject.profile.unique.u.fields is listed twice"},
		{unique(catalog.Unique{Name: "u", Fields: []string{"_a"}}), "subject.profile.unique.u.fields reserved for Tidemark"},
		{unique(catalog.Unique{Name: "u", Fields: []string{"a"}}, catalog.Unique{Name: "u", Fields: []string{"b"}}), "subject.profile.unique.u declared twice"},
		{unique(catalog.Unique{Name: "u", Fields: []string{"a"}, Case: "upper"}), "subject.profile.unique.u.case not a case rule"},
		{unique(many...), "subject.profile.unique at most"},
		{catalog.Profile{Release: "later"}, "subject.profile.release want free or reserve"},
		{catalog.Profile{Versions: catalog.Versions{Keep: true, For: time.Hour}}, "subject.profile.versions.for less than a day"},
		{catalog.Profile{DeletedFor: time.Minute}, "subject.profile.deletedFor less than a day"},
	} {
		_, err := catalog.New(described(c.profile))
		field, word, _ := strings.Cut(c.want, " ")
		var m *catalog.Mistake
		if !errors.As(err, &m) || m.Field != field || !strings.Contains(m.Message, word) {
			t.Errorf("%v: want one at %s that says %q", err, field, word)
		}
	}
}

func TestNew_RejectsAKindWhosePathIsARouteSegment(t *testing.T) {
	for _, word := range []string{"restore", "purge", "deleted", "versions"} {
		k := flow
		k.Path = word
		if _, err := catalog.New(k); err == nil || !strings.Contains(err.Error(), "fixed segment of routes") {
			t.Errorf("path %s: %v, want an error", word, err)
		}
	}
}
