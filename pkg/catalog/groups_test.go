package catalog_test

import (
	"github.com/tidemark-db/tidemark/internal/base/reserved"
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
		if id, ok := kinds.Kinds[1].GroupID(&e); id != c.want || ok != c.ok {
			t.Errorf("%s of %s: %q, %v; want %q, %v", c.level, c.site, id, ok, c.want, c.ok)
		}
	}
	kinds, _ := catalog.New(grouped("site"))
	if _, ok := kinds.Kinds[1].GroupID(&model.Event{Unreadable: true}); ok {
		t.Error("an event that cannot be decoded has a group")
	}
}

func TestNew_RejectsGroupsThatCannotBeFolded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*catalog.Kind)
		want   string
	}{
		"a counter": {func(k *catalog.Kind) {
			k.Measures = []rollup.MeasureSpec{{Name: "kwh",
				Counter: true}}
		}, "measures.kwh: the readings of several members are no sequence"},
		"a measure": {func(k *catalog.Kind) { k.Measures = []rollup.MeasureSpec{{Name: "site"}} },
			`groups.site: "site" is a measure`},
		"no tiers": {func(k *catalog.Kind) { k.Retention = tier.Policy{Raw: tier.Forever} },
			"groups: groups have rollups alone"},
		"no field": {func(k *catalog.Kind) { k.Groups = []string{""} }, "groups.: a field has no name"},
		"twice": {func(k *catalog.Kind) { k.Groups = append(k.Groups, k.Groups[0]) },
			"declared twice"},
		"many levels": {func(k *catalog.Kind) { *k = grouped("a", "b", "c", "d", "e") },
			"groups: 5 are declared: want at most 4"},
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
