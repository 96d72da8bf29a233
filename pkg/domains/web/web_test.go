package web_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestCatalog_HasFourKindsOfEventAndSessions(t *testing.T) {
	c, err := catalog.New(web.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	site, ok := c.SubjectByPath("sites")
	if !ok || site != web.Site || len(c.SubjectKinds(site)) != 5 ||
		len(catalog.WithEvents(c.SubjectKinds(site))) != 4 {
		t.Fatalf("the subject type is %v with %d kinds", site, len(c.SubjectKinds(site)))
	}
	if of := c.SessionKinds("PAGEVIEW"); len(of) != 1 || of[0].Path != "sessions" {
		t.Errorf("sessions of page views are %v", of)
	}
	for path, shards := range map[string]int{"pageviews": 4, "requests": 4, "malformed": 1, "customevents": 4} {
		k, ok := c.ByPath(path)
		if !ok || k.Shards != shards {
			t.Errorf("%s: %d shards, want %d: the number is fixed for the kind's life", path, k.Shards, shards)
			continue
		}
		if k.Late != catalog.KeepLate || k.HasLatest() || k.IDs != catalog.RequiredID {
			t.Errorf("%s: late %s, without latest items %v, ids %s", path, k.Late, !k.HasLatest(), k.IDs)
		}
		if _, _, ok := k.Retention.Find(tier.Minute); !ok || k.Retention.Raw != 30*tier.Day24 {
			t.Errorf("%s: raw %s, minutes %v", path, k.Retention.Raw, ok)
		}
	}
}

func TestKinds_DeclareNoReservedName(t *testing.T) {
	for _, k := range web.Kinds() {
		for _, f := range k.Fields() {
			if keys.Reserved(f.Name) {
				t.Errorf("%s: %s is an attribute of Tidemark's own", k.Name, f.Path)
			}
		}
	}
}

// What the collector lets in, at its longest, never fills a row: paths and hosts are
// bounded by what a dimension counts, the rest by what it can be. Details do not count: they go first.
func TestKinds_ALargestRowFitsAnItem(t *testing.T) {
	longest := map[string]int{webfield.Path: rollup.MaxDimensionValue, webfield.Referrer: 253,
		webfield.Country: 2, webfield.Region: 6, webfield.Device: 7, webfield.Status: 3, webfield.Method: 16,
		webfield.Name: collector.MaxName, webfield.Source: collector.MaxCampaign, webfield.Channel: 16,
		webfield.Browser: 20, webfield.OS: 16, webfield.Screen: 8, webfield.Language: 3,
		webfield.Entry: rollup.MaxDimensionValue,
		webfield.Exit:  rollup.MaxDimensionValue}
	longest[webfield.Hostname] = longest[webfield.Referrer]
	pairs := []string{webfield.CountryPath, webfield.SourceEntry, webfield.CountryEntry, webfield.CampaignEntry}
	for _, field := range pairs {
		longest[field] = rollup.MaxDimensionValue / 2
	}
	for _, field := range webfield.Campaign() {
		longest[field] = collector.MaxCampaign
	}
	for _, field := range webfield.Props() {
		longest[field] = collector.MaxProp
	}
	conf := config.Default(web.Kinds()...)
	conf.Collector.Regions = true
	kinds, err := conf.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds.Kinds {
		size := 0
		for _, d := range k.Dimensions {
			size += d.Top * (longest[d.Name] + 6)
		}
		// A site that sells in more currencies than this loses rare values of dimensions first, never an
		// amount.
		const distinct, head, currencies, currency = 1600, 1000, 50, 160
		measures := 2 * 2000
		if k.Name == web.CustomEvents.Name {
			measures += currencies * currency
		}
		if size += distinct + measures + head; size > rollup.MaxRowBytes {
			t.Errorf("%s: a row could take %d bytes, at most %d", k.Name, size, rollup.MaxRowBytes)
		}
	}
}

func TestCountStatusClass_AddsUpOneClass(t *testing.T) {
	status := rollup.Dimension{Values: []rollup.ValueCount{{Value: "200", Count: 5}, {Value: "404", Count: 3},
		{Value: "499", Count: 1}, {Value: "500", Count: 2}, {Value: "4xx", Count: 9}}, Exact: true}
	for class, want := range map[int]int64{2: 5, 3: 0, 4: 4, 5: 2} {
		if got, exact := web.CountStatusClass(status, class); got != want || !exact {
			t.Errorf("%dxx: %d, exact %v; want %d", class, got, exact, want)
		}
	}
	if _, exact := web.CountStatusClass(rollup.Dimension{}, 4); exact {
		t.Error("a dimension that was cut counts exactly")
	}
}
