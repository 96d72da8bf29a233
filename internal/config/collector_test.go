package config_test

import (
	"reflect"
	"testing"

	"github.com/tidemark-db/tidemark/internal/config"
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
		c, err := config.Parse("tidemark.yaml", []byte(yaml))
		if err != nil || c.Collector.HonourOptOut != want {
			t.Errorf("%q: %v, want %v", yaml, err, want)
		}
	}
	if _, err := config.Parse("tidemark.yaml", []byte("collector: {honourOptOut: maybe}")); err == nil {
		t.Error("honourOptOut: maybe was accepted")
	}
}

func TestCollector_SitesWithoutAKeyAreDeclared(t *testing.T) {
	c, err := config.Parse("tidemark.yaml", []byte("collector: {domains: [a.example, b.example]}"))
	if err != nil || len(config.Default().Collector.Domains) != 0 || !reflect.DeepEqual(c.Collector.Domains, []string{"a.example", "b.example"}) {
		t.Errorf("%v, %v; want two sites, and none by default", c.Collector.Domains, err)
	}
}

func TestKinds_TheFileSetsIndexBy(t *testing.T) {
	c, err := config.Parse("tidemark.yaml", []byte("kinds: {READING: {indexBy: location}, PAGEVIEW: {shards: 8}}"), domains.Kinds()...)
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
		t.Errorf("readings by %q, page views by %q on %d shards; want location, visitor, 8", readings.IndexBy, views.IndexBy, views.Shards)
	}
	if _, err := config.Parse("tidemark.yaml", []byte("kinds: {READING: {indexBy: temperature}}"), domains.Kinds()...); err == nil {
		t.Error("indexBy accepted a measure")
	}
}

func TestKinds_TheFileSetsLatestBy(t *testing.T) {
	text := "kinds: {READING: {latestBy: {gsi2: {by: [state], sort: [room], half: preserve}}}}"
	c, err := config.Parse("tidemark.yaml", []byte(text), domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := c.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	readings, _ := kinds.Kind("READING")
	want := []catalog.LatestIndex{{Index: "gsi2", By: []string{"state"}, Sort: []string{"room"}, Half: catalog.HalfPreserve}}
	if !reflect.DeepEqual(readings.LatestBy, want) {
		t.Errorf("readings are found by %+v, want %+v", readings.LatestBy, want)
	}
	for _, wrong := range []string{"{gsi3: {by: [state]}}", "{gsi1: {sort: [state]}}", "{gsi1: {by: [state], half: perhaps}}"} {
		if _, err := config.Parse("tidemark.yaml", []byte("kinds: {READING: {latestBy: "+wrong+"}}"), domains.Kinds()...); err == nil {
			t.Errorf("latestBy accepted %s", wrong)
		}
	}
}
