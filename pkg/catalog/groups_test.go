package catalog_test

import (
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func grouped(levels ...string) catalog.Kind {
	k := catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Retention: tier.Standard().Defer()}
	k.Retention.Jitter = 7 * time.Minute
	k.Groups = levels
	return k
}

func TestNew_AddsAKindForEachLevelOfGroups(t *testing.T) {
	t.Parallel()
	c, err := catalog.New(grouped("site", "site/lineId"))
	if err != nil {
		t.Fatal(err)
	}
	reading, _ := c.Kind("READING")
	sites, found := c.Kind("READING_BY_SITE")
	lines, too := c.Kind("READING_BY_SITE_LINE_ID")
	if !found || !too || len(reading.GroupKinds()) != 2 || !c.HasGroups() {
		t.Fatalf("kinds %v, of readings %d", c.Kinds, len(reading.GroupKinds()))
	}
	if sites.HasEvents() || sites.Path != "readings-by-site" || sites.Subject.Path != "by-site" ||
		lines.Subject.Name != "BY_SITE_LINE_ID" {
		t.Errorf("%+v, %+v", sites, lines)
	}
	p, of := sites.Retention, reading.Retention
	b := tier.Hour.BucketAt(0)
	for _, device := range []string{"a", "b", "c", "d"} {
		member := reading.Series(device, "", model.Order{})
		if group := sites.GroupSeries("berlin", member); p.ClosesAt(0, b, group) < of.ClosesAt(0, b, member) {
			t.Errorf("a bucket of the group closes before the one of %s", device)
		}
	}
	if p.Raw < of.Raw+time.Hour+p.Tiers[0].Grace+3*tier.Day24 || p.Validate() != nil {
		t.Errorf("shares are kept for %s: %v", p.Raw, p.Validate())
	}
}

func TestGroupOf_NamesTheGroupOfAnEvent(t *testing.T) {
	t.Parallel()
	text, number := model.TextValue, model.NumberValue(model.MustDecimal("7"))
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		level string
		site  model.Value
		want  string
		ok    bool
	}{
		{"site", text("berlin"), "berlin", true},
		{"site", text("a/b"), "a/b", true},
		{"site", number, "7", true},
		{"site", text(""), "", false},
		{"site", model.Value{}, "", false},
		{"site", text("*"), "%2A", true},
		{"site", text(long), reserved.OtherGroup, true},
		{"site/line", text("a/b%"), "a%2Fb%25/3", true},
		{"other", text("berlin"), "", false},
	} {
		kinds, err := catalog.New(grouped(c.level))
		if err != nil {
			t.Fatal(err)
		}
		e := model.Event{Attrs: model.Attrs{{Name: "line", Value: text("3")}, {Name: "site", Value: c.site}}}
		if id, ok := kinds.Kinds[1].GroupID(&e, nil); id != c.want || ok != c.ok {
			t.Errorf("%s of %s: %q, %v; want %q, %v", c.level, c.site, id, ok, c.want, c.ok)
		}
	}
	kinds, _ := catalog.New(grouped("site"))
	if _, ok := kinds.Kinds[1].GroupID(&model.Event{Unreadable: true}, nil); ok {
		t.Error("an event that cannot be decoded has a group")
	}
}

// groupedByProfile is a kind with a level of groups by fields of profiles.
func groupedByProfile(level string) catalog.Kind {
	k := grouped(level)
	k.Retention = tier.Standard().Defer()
	k.Subject.Profile = &catalog.Profile{
		Declared: []catalog.ProfileField{{Name: "owner"}}, Indexes: []catalog.ProfileIndex{{Field: "city"}},
	}
	return k
}

func TestNew_GroupsByProfiles(t *testing.T) {
	t.Parallel()
	kind := groupedByProfile("profile.owner/profile.city")
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	g := &kinds.Kinds[1]
	if g.Subject.Path != "by-profile-owner-profile-city" || g.GroupLevel() != kind.Groups[0] {
		t.Errorf("groups %s of the level %s", g.Subject.Path, g.GroupLevel())
	}
	p := kinds.Profile(kind.Subject.Name)
	if !slices.Equal(p.GroupFields, []string{"city", "owner"}) || p.GroupsFor != g.Retention.Raw {
		t.Errorf("fields %q for %s, want %s", p.GroupFields, p.GroupsFor, g.Retention.Raw)
	}
	member := model.Attrs{
		{Name: "city", Value: model.TextValue("x/y")}, {Name: "owner", Value: model.TextValue("o")},
	}
	e := model.Event{Attrs: model.Attrs{{Name: "owner", Value: model.TextValue("of the event")}}}
	if id, ok := g.GroupID(&e, member); id != "o/x%2Fy" || !ok {
		t.Errorf("group %q, %v", id, ok)
	}
	if id, ok := g.GroupID(&e, nil); ok {
		t.Errorf("an event of a member without a profile is in group %q", id)
	}
}

func TestNew_RejectsGroupsThatCannotBeFolded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*catalog.Kind)
		want   string
	}{
		"a measure": {func(k *catalog.Kind) { k.Measures = []rollup.MeasureSpec{{Name: "site"}} },
			`groups.site: "site" is a measure`},
		"no tiers": {func(k *catalog.Kind) { k.Retention = tier.Policy{Raw: tier.Forever} },
			"groups: groups have rollups alone"},
		"no field": {func(k *catalog.Kind) { k.Groups = []string{""} }, "groups.: a field has no name"},
		"twice": {func(k *catalog.Kind) { k.Groups = append(k.Groups, k.Groups[0]) },
			"declared twice"},
		"many levels": {func(k *catalog.Kind) { *k = grouped("a", "b", "c", "d", "e") },
			"groups: 5 are declared: want at most 4"},
		"a profile and an event": {func(k *catalog.Kind) { *k = groupedByProfile("profile.owner/site") },
			`"site" is a field of events, and others of the level are of profiles`},
		"a field that no profile declares": {func(k *catalog.Kind) { *k = groupedByProfile("profile.ownr") },
			`groups.profile.ownr: the profile of a DEVICE declares no field "ownr": add it to subject.profile.fields`},
		"an immediate tier": {func(k *catalog.Kind) {
			*k = groupedByProfile("profile.owner")
			k.Retention = tier.Standard()
		}, "set mode: deferred for the finest tier"},
		"many fields": {func(k *catalog.Kind) { *k = grouped("a/b/c/d/e") }, "5 fields: want at most 4"},
		"subject type": {func(k *catalog.Kind) { k.Subject.Name, k.Groups = "BY_HAND", nil },
			`subject.name: "BY_HAND" begins as the types of groups do`},
	} {
		k := grouped("site")
		c.change(&k)
		if _, err := catalog.New(k); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The readings of several members have no steps between them.
func TestNew_GroupsCountNoSteps(t *testing.T) {
	t.Parallel()
	of := grouped("site")
	of.Measures = []rollup.MeasureSpec{
		{Name: "energy", Counter: true, Wrap: 32, Scale: 1, Unit: "kWh"}, {Name: "load", TimeMean: true},
	}
	kinds, err := catalog.New(of)
	if err != nil {
		t.Fatal(err)
	}
	want := []rollup.MeasureSpec{{Name: "energy", Scale: 1, Unit: "kWh"}, {Name: "load"}}
	if got := kinds.Kinds[1].Measures; !slices.Equal(got, want) || !kinds.Kinds[0].Measures[0].Counter {
		t.Errorf("measures of groups %+v, want %+v, and the members' as they are", got, want)
	}
}
