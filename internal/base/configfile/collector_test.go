package configfile_test

import (
	"reflect"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func TestCollector_HonoursOptOutByDefault(t *testing.T) {
	for yaml, want := range map[string]bool{
		"":                                   true,
		"collector: {}":                      true,
		"collector: {honourOptOut: true}":    true,
		"collector: {honourOptOut: false}\n": false,
	} {
		c, err := configfile.Parse("tidemark.yaml", []byte(yaml))
		if err != nil || c.Collector.HonourOptOut != want {
			t.Errorf("%q: %v, want %v", yaml, err, want)
		}
	}
	if _, err := configfile.Parse("tidemark.yaml", []byte("collector: {honourOptOut: maybe}")); err == nil {
		t.Error("honourOptOut: maybe was accepted")
	}
}

func TestCollector_SitesWithoutAKeyAreDeclared(t *testing.T) {
	c, err := configfile.Parse("tidemark.yaml", []byte("collector: {domains: [a.example, b.example]}"))
	if err != nil || len(config.Default().Collector.Domains) != 0 ||
		!reflect.DeepEqual(c.Collector.Domains, []string{"a.example", "b.example"}) {
		t.Errorf("%v, %v; want two sites, and none by default", c.Collector.Domains, err)
	}
}

const withRegions = "collector: {regions: true, trust: cloudfront}"

func TestCollector_RegionsAreADimensionOfVisitorsOnRequest(t *testing.T) {
	for text, want := range map[string]map[string]int{
		"":                               {},
		"collector: {trust: cloudfront}": {},
		withRegions:                      {"PAGEVIEW": 150, "SESSION": 150},
		"stages: {prod: {cloudFront: {webAcl: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/a/1'}}}\ncollector: {regions: true}": {"PAGEVIEW": 150, "SESSION": 150},
		withRegions + "\nkinds: {PAGEVIEW: {dimensions: {country: {}, region: {top: 9}}}, SESSION: {dimensions: {entry: {}}}}":         {"PAGEVIEW": 9},
		withRegions + "\nkinds: {ORDER: {subject: {name: SHOP}, dimensions: {country: {}}}}":                                           {"PAGEVIEW": 150, "SESSION": 150},
	} {
		c, err := configfile.Parse("tidemark.yaml", []byte(text), domains.Kinds()...)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the kinds of the domain do not change
			kinds, err := c.Catalog()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			for _, k := range kinds.Kinds {
				for _, d := range k.Dimensions {
					if d.Name == "region" {
						got[k.Name] = d.Top
					}
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: regions are counted by %v, want %v", text, got, want)
			}
		}
	}
}

// Regions can be requested and given up later: no change is refused, and rollups need a rebuild.
func TestCompare_RegionsCanBeRequestedLater(t *testing.T) {
	parsed := func(text string) *config.Config {
		c, err := configfile.Parse("tidemark.yaml", []byte(text), domains.Kinds()...)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	without, with := parsed("collector: {trust: cloudfront}"), parsed(withRegions)
	for name, pair := range map[string][2]*config.Config{"requested": {without, with},
		"given up": {with, without}} {
		changes, err := config.Compare(pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]config.Class{}
		for _, c := range changes {
			got[c.Path] = c.Class
		}
		want := map[string]config.Class{"kinds.PAGEVIEW.dimensions.region": config.NeedsRebuild,
			"kinds.SESSION.dimensions.region": config.NeedsRebuild, "collector.regions": config.Safe}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestKinds_TheFileSetsIndexBy(t *testing.T) {
	c, err := configfile.Parse("tidemark.yaml",
		[]byte("kinds: {READING: {indexBy: location}, PAGEVIEW: {shards: 8}}"), domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := c.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	readings, _ := kinds.Kind("READING")
	views, _ := kinds.Kind("PAGEVIEW")
	if readings.IndexBy != "location" || views.IndexBy != "visitor" || views.Shards != 8 {
		t.Errorf("readings by %q, page views by %q on %d shards; want location, visitor, 8", readings.IndexBy,
			views.IndexBy, views.Shards)
	}
	if _, err := configfile.Parse("tidemark.yaml", []byte("kinds: {READING: {indexBy: temperature}}"),
		domains.Kinds()...); err == nil {
		t.Error("indexBy accepted a measure")
	}
}

func TestKinds_TheFileSetsLatestBy(t *testing.T) {
	text := "kinds: {READING: {latestBy: {gsi2: {by: [state], sort: [room], half: preserve}}}}"
	c, err := configfile.Parse("tidemark.yaml", []byte(text), domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := c.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	readings, _ := kinds.Kind("READING")
	want := []catalog.LatestIndex{{Index: "gsi2", By: []string{"state"}, Sort: []string{"room"},
		Half: catalog.HalfPreserve}}
	if !reflect.DeepEqual(readings.LatestBy, want) {
		t.Errorf("readings are found by %+v, want %+v", readings.LatestBy, want)
	}
	for _, wrong := range []string{"{gsi3: {by: [state]}}", "{gsi1: {sort: [state]}}",
		"{gsi1: {by: [state], half: perhaps}}"} {
		if _, err := configfile.Parse("tidemark.yaml", []byte("kinds: {READING: {latestBy: "+wrong+"}}"),
			domains.Kinds()...); err == nil {
			t.Errorf("latestBy accepted %s", wrong)
		}
	}
}
