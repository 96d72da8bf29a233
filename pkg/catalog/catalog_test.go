package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var (
	pump  = catalog.SubjectType{Name: "PUMP", Path: "pumps", Field: "pumpId"}
	flow  = catalog.Kind{Name: "FLOW", Path: "flows", Subject: pump}
	noise = catalog.Kind{Name: "NOISE", Path: "noises", Subject: pump}
)

func mustNew(t *testing.T, kinds ...catalog.Kind) *catalog.Catalog {
	t.Helper()
	c, err := catalog.New(kinds...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNew_FillsInTheDocumentedDefaults(t *testing.T) {
	c := mustNew(t, catalog.Kind{
		Name:       "PAGE_VIEW",
		Subject:    catalog.SubjectType{Name: "WEB_SITE"},
		Dimensions: []rollup.DimensionSpec{{Name: "country"}},
	})
	want := catalog.Kind{
		Name:        "PAGE_VIEW",
		Path:        "page-views",
		Subject:     catalog.SubjectType{Name: "WEB_SITE", Path: "web-sites", Field: "webSiteId"},
		Dimensions:  []rollup.DimensionSpec{{Name: "country", Top: rollup.DefaultTop}},
		Late:        catalog.KeepLate,
		IDs:         catalog.OptionalID,
		OnCollision: catalog.ReportCollision,
		Undeclared:  catalog.KeepUndeclared,
		Latest:      catalog.TransactionLatest,
		Shards:      1,
		MaxMeasures: rollup.DefaultMaxMeasures,
		Retention:   tier.Standard(),
	}
	if diff := cmp.Diff(want, c.Kinds[0], cmpopts.IgnoreUnexported(catalog.Kind{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNew_SharesNothingWithItsArguments(t *testing.T) {
	given := flow
	given.Measures = []rollup.MeasureSpec{{Name: "rate"}}
	given.Enrichment = []string{"owner"}
	given.Retention = tier.Standard()
	c := mustNew(t, given)

	given.Measures[0].Name = "changed"
	given.Enrichment[0] = "changed"
	given.Retention.Tiers[0].Retention = 1
	k, _ := c.Kind("FLOW")
	if !k.Declared("rate") || !k.IsEnrichment("owner") || k.Retention.Tiers[0].Retention != 90*tier.Day24 {
		t.Errorf("a change of the argument changed the catalog: %+v", k)
	}
}

func TestCatalog_FindsKindsAndSubjectTypes(t *testing.T) {
	c := mustNew(t, flow, noise)

	if k, ok := c.Kind("NOISE"); !ok || k.Path != "noises" {
		t.Errorf(`Kind("NOISE") = %v, %v`, k, ok)
	}
	if k, ok := c.ByPath("flows"); !ok || k.Name != "FLOW" {
		t.Errorf(`ByPath("flows") = %v, %v`, k, ok)
	}
	if s, ok := c.SubjectByPath("pumps"); !ok || s != pump {
		t.Errorf(`SubjectByPath("pumps") = %v, %v`, s, ok)
	}
	if diff := cmp.Diff([]catalog.SubjectType{pump}, c.Subjects()); diff != "" {
		t.Errorf("Subjects (-want +got):\n%s", diff)
	}
}

func TestNewWith_HasSubjectTypesWithoutKinds(t *testing.T) {
	account := catalog.SubjectType{Name: "ACCOUNT",
		Profile: &catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "plan"}}}}
	c, err := catalog.NewWith([]catalog.SubjectType{account, pump}, flow)
	if err != nil {
		t.Fatal(err)
	}
	types := c.Subjects()
	if len(types) != 2 || types[0] != pump || types[1].Path != "accounts" {
		t.Errorf("types %+v, want pumps once and accounts", types)
	}
	if s, ok := c.SubjectByPath("accounts"); !ok || len(c.SubjectKinds(s)) != 0 ||
		c.Profile("ACCOUNT").Release != catalog.ReleaseFree {
		t.Errorf("%+v, %t with %d kinds, want the type with the defaults of its profile", s, ok,
			len(c.SubjectKinds(s)))
	}
	for want, types := range map[string][]catalog.SubjectType{
		"subjects.account.name: ":              {{Name: "account"}},
		"subjects.ACCOUNT.path: ":              {{Name: "ACCOUNT", Path: "alerts"}},
		"subjects.A.path: ":                    {{Name: "A", Path: "flows"}},
		"subjects.B.path: ":                    {{Name: "A", Path: "x"}, {Name: "B", Path: "x"}},
		"subjects.PUMP: ":                      {{Name: "PUMP", Path: "engines"}},
		"subjects.ACCOUNT.profile.deletedFor:": {{Name: "ACCOUNT", Profile: &catalog.Profile{DeletedFor: 1}}},
	} {
		if _, err := catalog.NewWith(types, flow); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want one mistake of %s", types, err, want)
		}
	}
}

func TestCatalog_ReportsUnknownNames(t *testing.T) {
	for _, c := range []*catalog.Catalog{mustNew(t, flow), mustNew(t), {}} {
		for _, name := range []string{"", "flow", "flows", "PUMP"} {
			if k, ok := c.Kind(name); ok || k != nil {
				t.Errorf("Kind(%q) = %v, %v", name, k, ok)
			}
		}
		for _, path := range []string{"", "FLOW", "pumps"} {
			if k, ok := c.ByPath(path); ok || k != nil {
				t.Errorf("ByPath(%q) = %v, %v", path, k, ok)
			}
		}
		if s, ok := c.SubjectByPath("flows"); ok {
			t.Errorf(`SubjectByPath("flows") = %v`, s)
		}
	}
}

// with returns flow after a change.
func with(change func(*catalog.Kind)) []catalog.Kind {
	k := flow
	change(&k)
	return []catalog.Kind{k}
}

func TestNew_ReportsEachMistake(t *testing.T) {
	measures := func(specs ...rollup.MeasureSpec) func(*catalog.Kind) {
		return func(k *catalog.Kind) { k.Measures = specs }
	}
	for _, test := range []struct {
		name  string
		kinds []catalog.Kind
		want  string // prefix of the error
	}{
		{"no name", with(func(k *catalog.Kind) { k.Name = "" }), "kind #1: name: missing"},
		{"lower case", with(func(k *catalog.Kind) { k.Name = "flow" }), `kind flow: name: "flow" is not a valid name`},
		{"a separator", with(func(k *catalog.Kind) { k.Name = "A#B" }), `kind A#B: name: "A#B" is not a valid name`},
		{"a long name", with(func(k *catalog.Kind) { k.Name = strings.Repeat("F", 65) }), "kind " + strings.Repeat("F", 65) + ": name: longer than 64 bytes"},
		{"a path in capitals", with(func(k *catalog.Kind) { k.Path = "Flows" }), `kind FLOW: path: "Flows" is not a valid path`},
		{"the subject's path", with(func(k *catalog.Kind) { k.Path = "pumps" }), `kind FLOW: path: "pumps" is the path of its subject type too`},
		{"no subject", with(func(k *catalog.Kind) { k.Subject = catalog.SubjectType{} }), "kind FLOW: subject.name: missing"},
		{"a reserved field", with(func(k *catalog.Kind) { k.Subject.Field = "_pump" }), "kind FLOW: subject.field: names that begin with _"},
		{"the field of the time", with(func(k *catalog.Kind) { k.Subject.Field = "timestamp" }), "kind FLOW: subject.field: timestamp, stream and id have a fixed meaning"},
		{"same name", []catalog.Kind{flow, flow}, "kind FLOW: name: declared twice"},
		{"same path", []catalog.Kind{flow, {Name: "OTHER", Path: "flows", Subject: pump}}, `kind OTHER: path: "flows" is the path of kind FLOW already`},
		{"a kind's path for a subject type", []catalog.Kind{flow, {Name: "OTHER", Subject: catalog.SubjectType{Name: "X", Path: "flows", Field: "x"}}}, "kind OTHER: path: a kind and a subject type have the same path (see kind FLOW)"},
		{"a subject type declared differently", []catalog.Kind{flow, {Name: "OTHER", Subject: catalog.SubjectType{Name: "PUMP", Path: "pumps", Field: "pump"}}}, "kind OTHER: subject: kind FLOW declares PUMP differently (path pumps, field pumpId)"},
		{"two subjects of a path", []catalog.Kind{flow, {Name: "OTHER", Subject: catalog.SubjectType{Name: "PUMPE", Path: "pumps", Field: "pumpId"}}}, `kind OTHER: subject.path: "pumps" is the path of subject type PUMP already`},
		{"a measure twice", with(measures(rollup.MeasureSpec{Name: "a"}, rollup.MeasureSpec{Name: "a"})), "kind FLOW: measures.a: declared twice"},
		{"a nameless measure", with(measures(rollup.MeasureSpec{})), "kind FLOW: measures.: a field has no name"},
		{"a control character", with(measures(rollup.MeasureSpec{Name: "a\nb"})),
			"kind FLOW: measures.a\nb: contains characters that a reader cannot see"},
		{"invalid UTF-8", with(measures(rollup.MeasureSpec{Name: "\xff"})),
			"kind FLOW: measures.\xff: contains characters that a reader cannot see"},
		{"the subject's field", with(measures(rollup.MeasureSpec{Name: "pumpId"})), "kind FLOW: measures.pumpId: declared as the subject's field already"},
		{"a negative scale", with(measures(rollup.MeasureSpec{Name: "a", Scale: -1})), "kind FLOW: measures.a.scale: -1 is out of bounds: want 0 to 15"},
		{"a wrap of other bits", with(measures(rollup.MeasureSpec{Name: "a", Counter: true, Wrap: 16})),
			"kind FLOW: measures.a.wrap: 16 is no number of bits at which a counter wraps around: want 32 or 64"},
		{"a wrap of no counter", with(measures(rollup.MeasureSpec{Name: "a", Wrap: 32})),
			"kind FLOW: measures.a.wrap: only a counter wraps around: add type: counter"},
		{"a scale too fine", with(measures(rollup.MeasureSpec{Name: "a", Scale: 16})), "kind FLOW: measures.a.scale: 16 is out of bounds: want 0 to 15"},
		{"measure and dimension", with(func(k *catalog.Kind) {
			k.Measures = []rollup.MeasureSpec{{Name: "a"}}
			k.Dimensions = []rollup.DimensionSpec{{Name: "a"}}
		}), "kind FLOW: dimensions.a: declared as a measure already"},
		{"measure and enrichment", with(func(k *catalog.Kind) {
			k.Measures = []rollup.MeasureSpec{{Name: "a"}}
			k.Enrichment = []string{"a"}
		}), "kind FLOW: enrichment.a: declared as a measure already"},
		{"distinct and enrichment", with(func(k *catalog.Kind) { k.Distinct, k.Enrichment = []string{"a"}, []string{"a"} }), "kind FLOW: enrichment.a: declared as a distinct count already"},
		{"too many values", with(func(k *catalog.Kind) { k.Dimensions = []rollup.DimensionSpec{{Name: "a", Top: 1001}} }), "kind FLOW: dimensions.a.top: 1001 is out of bounds"},
		{"more measures than a row", with(func(k *catalog.Kind) { k.Measures, k.MaxMeasures = []rollup.MeasureSpec{{Name: "a"}, {Name: "b"}}, 1 }), "kind FLOW: measures: 2 are declared, but a row has at most maxMeasures = 1"},
		{"unknown late policy", with(func(k *catalog.Kind) { k.Late = "perhaps" }), `kind FLOW: late: "perhaps" is not a policy`},
		{"unknown id policy", with(func(k *catalog.Kind) { k.IDs = "perhaps" }), `kind FLOW: ids: "perhaps" is not a policy`},
		{"unknown time policy", with(func(k *catalog.Kind) { k.FinerTime = 7 }), "kind FLOW: finerTime: 7 is not a policy"},
		{"unknown policy for undeclared fields", with(func(k *catalog.Kind) { k.Undeclared = "perhaps" }),
			`kind FLOW: undeclared: "perhaps" is not a policy`},
		{"a measure as another field", with(func(k *catalog.Kind) {
			k.OtherFields = []string{"temperature",
				"temperature"}
		}), `kind FLOW: otherFields.temperature: declared twice`},
		{"unknown collision policy", with(func(k *catalog.Kind) { k.OnCollision = "perhaps" }), `kind FLOW: onCollision: "perhaps" is not a policy`},
		{"drop without latest", with(func(k *catalog.Kind) { k.Latest, k.Late = catalog.NoLatest, catalog.DropLate }), "kind FLOW: late: drop compares events with the latest item"},
		{"negative shards", with(func(k *catalog.Kind) { k.Shards = -1 }), "kind FLOW: shards: -1 is out of bounds: want 1 to 64"},
		{"too many shards", with(func(k *catalog.Kind) { k.Shards = 65 }), "kind FLOW: shards: 65 is out of bounds: want 1 to 64"},
		{"a type without a field", with(func(k *catalog.Kind) { k.OrderType = catalog.TextOrder }), "kind FLOW: orderBy: has a type and no field"},
		{"an unknown order type", with(func(k *catalog.Kind) { k.OrderBy, k.OrderType = "n", "colour" }), `kind FLOW: orderBy: "colour" is not a type that orders events`},
		{"tiers without times", with(func(k *catalog.Kind) {
			k.OrderBy = "n"
			k.OrderType = catalog.NumberOrder
			k.Retention = tier.Standard()
		}), `kind FLOW: tiers: events that are ordered by "n" have no time`},
		{"minted ids without times", with(func(k *catalog.Kind) {
			k.OrderBy = "n"
			k.OrderType = catalog.NumberOrder
			k.IDs = catalog.MintedID
		}), "kind FLOW: ids: minted ids are derived from the event time"},
		{"an index by time without times", with(func(k *catalog.Kind) {
			k.OrderBy = "n"
			k.OrderType = catalog.TextOrder
			k.IndexBy = "a"
		}), "kind FLOW: indexBy: the index orders events by time"},
		{"enrichment that orders events", with(func(k *catalog.Kind) {
			k.OrderBy = "n"
			k.OrderType = catalog.TextOrder
			k.Enrichment = []string{"n"}
		}), "kind FLOW: orderBy: declared as enrichment already"},
		{"an unsafe retention policy", with(func(k *catalog.Kind) { k.Retention = tier.Standard(); k.Retention.Raw = 88 * tier.Day24 }), "kind FLOW: tiers.hour: retention 90 d is too short"},
		{"a retention policy of a moment", with(func(k *catalog.Kind) { k.Retention.Raw = time.Minute }), "kind FLOW: tiers: raw 1m0s is shorter than 1h0m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := catalog.New(test.kinds...)
			if c != nil || err == nil {
				t.Fatalf("New = %v, %v; want nil and a mistake", c, err)
			}
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s…", err, test.want)
			}
			if mistake := (*catalog.Mistake)(nil); !errors.As(err, &mistake) {
				t.Errorf("%T is not a *Mistake", err)
			}
			if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 1 {
				t.Errorf("got several messages for one mistake:\n%v", err)
			}
		})
	}
}

func TestNew_ADimensionMayBeCountedByDistinctValuesToo(t *testing.T) {
	kinds := with(func(k *catalog.Kind) {
		k.Dimensions, k.Distinct = []rollup.DimensionSpec{{Name: "visitor"}}, []string{"visitor"}
	})
	if _, err := catalog.New(kinds...); err != nil {
		t.Error(err)
	}
}

func TestNew_ReportsAllMistakesInTheSameOrder(t *testing.T) {
	broken := []catalog.Kind{
		{Name: "a", Subject: pump, Measures: []rollup.MeasureSpec{{Name: "x", Scale: 99}}, Late: "l", IDs: "i", Shards: 99},
		{Subject: catalog.SubjectType{Name: "PUMP", Path: "p", Field: "f"}},
	}
	const want = `kind a: name
kind a: late
kind a: ids
kind a: measures.x.scale
kind a: shards
kind #2: name
kind #2: subject`
	for range 20 {
		_, err := catalog.New(broken...)
		var got []string
		for _, line := range strings.Split(err.Error(), "\n") {
			kind, rest, _ := strings.Cut(line, ": ")
			field, _, _ := strings.Cut(rest, ": ")
			got = append(got, kind+": "+field)
		}
		if strings.Join(got, "\n") != want {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
		}
	}
}

// New returns a catalog whose kinds New accepts again, or mistakes; it never panics.
func TestNew_IsTotalAndIdempotent(t *testing.T) {
	name := rapid.SampledFrom(
		[]string{"", "A", "A", "B_2", "a", "Ä", "_", "\xff", "timestamp", strings.Repeat("N", 65)})
	number := rapid.IntRange(-1, 70)
	rapid.Check(t, func(t *rapid.T) {
		var kinds []catalog.Kind
		for range rapid.IntRange(0, 3).Draw(t, "kinds") {
			k := catalog.Kind{
				Name:    name.Draw(t, "name"),
				Subject: catalog.SubjectType{Name: name.Draw(t, "subject"), Path: name.Draw(t, "subject path"), Field: name.Draw(t, "field")},
				Path:    name.Draw(t, "path"),
				Shards:  number.Draw(t, "shards"),
			}
			for range rapid.IntRange(0, 2).Draw(t, "measures") {
				k.Measures = append(k.Measures,
					rollup.MeasureSpec{Name: name.Draw(t, "measure"), Scale: number.Draw(t, "scale")})
			}
			kinds = append(kinds, k)
		}
		c, err := catalog.New(kinds...)
		if (c == nil) == (err == nil) {
			t.Fatalf("New = %v, %v: want one of the two", c, err)
		}
		if err != nil {
			return
		}
		again, err := catalog.New(c.Kinds...)
		if err != nil {
			t.Fatalf("New rejected kinds that it returned: %v", err)
		}
		if diff := cmp.Diff(c.Kinds, again.Kinds, cmpopts.IgnoreUnexported(catalog.Kind{})); diff != "" {
			t.Fatalf("completing twice changes a kind:\n%s", diff)
		}
	})
}
