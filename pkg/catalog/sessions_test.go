package catalog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func clicks() catalog.Kind { return catalog.Kind{Name: "CLICK", Subject: site, Shards: 2} }

var site = catalog.SubjectType{Name: "SITE"}

func visits() catalog.Kind {
	hourly := tier.Standard().Defer()
	for i := range hourly.Tiers {
		hourly.Tiers[i].Grace = 40 * time.Minute
	}
	return catalog.Kind{
		Name: "VISIT", Subject: site, Latest: catalog.NoLatest, Retention: hourly,
		Sessions: &catalog.Sessions{
			Of: "CLICK", By: "visitor", Gap: 30 * time.Minute, Follow: tier.Day24,
			First: []catalog.SessionField{{Name: "entry", Of: "path"}},
		},
	}
}

func TestNew_KnowsTheSessionsOfAKind(t *testing.T) {
	click := clicks()
	click.Retention = tier.Standard()
	click.Retention.Raw, click.Retention.LeastRaw = 20*tier.Day24, 10*tier.Day24
	declared := visits()
	c, err := catalog.New(declared, click)
	if err != nil {
		t.Fatal(err)
	}
	of := c.SessionKinds("CLICK")
	if len(of) != 1 || of[0].Name != "VISIT" || len(c.SessionKinds("VISIT")) != 0 {
		t.Fatalf("sessions of clicks are %v", of)
	}
	if of[0].HasEvents() || !c.Kinds[1].HasEvents() {
		t.Error("only clicks have stored events")
	}
	if p := of[0].Retention; p.Raw != 20*tier.Day24 || p.LeastRaw != 10*tier.Day24 {
		t.Errorf("sessions have raw %s, least %s: want the retentions of clicks", p.Raw, p.LeastRaw)
	}
	declared.Sessions.First[0].Of = "changed"
	if of[0].Sessions.First[0].Of != "path" {
		t.Error("the catalog shares memory with the declaration")
	}
}

func TestNew_RejectsSessionsThatCannotBeFolded(t *testing.T) {
	for name, c := range map[string]struct {
		change func(visit, click *catalog.Kind)
		want   string
	}{
		"of no kind":             {func(v, _ *catalog.Kind) { v.Sessions.Of = "VIEW" }, "sessionsOf.kind: \"VIEW\" is not a kind of the same subject type"},
		"of sessions":            {func(v, _ *catalog.Kind) { v.Sessions.Of = "VISIT" }, "sessionsOf.kind"},
		"of another subject":     {func(_, k *catalog.Kind) { k.Subject = catalog.SubjectType{Name: "DEVICE"} }, "sessionsOf.kind"},
		"of events without time": {func(_, k *catalog.Kind) { k.OrderBy, k.OrderType = "n", catalog.NumberOrder }, "sessionsOf.kind"},
		"without a key":          {func(v, _ *catalog.Kind) { v.Sessions.By = "" }, "sessionsOf.by: a field has no name"},
		"with a reserved field":  {func(v, _ *catalog.Kind) { v.Sessions.First[0].Name = "_x" }, "sessionsOf._x: names that begin with _"},
		"of a reserved field":    {func(v, _ *catalog.Kind) { v.Sessions.First[0].Of = "id" }, "sessionsOf.entry: timestamp, stream and id"},
		"with shards":            {func(v, _ *catalog.Kind) { v.Shards = 2 }, "has no stored events"},
		"with latest items":      {func(v, _ *catalog.Kind) { v.Latest = "" }, "has no stored events"},
		"indexed without clicks": {func(v, _ *catalog.Kind) { v.IndexBy = "visitor" }, `indexBy: sessions are found in the index of the events that they are made of: want "visitor" here and for "CLICK"`},
		"indexed by another":     {func(v, k *catalog.Kind) { v.IndexBy, k.IndexBy = "path", "path" }, "indexBy: sessions are found"},
		"without rollups":        {func(v, _ *catalog.Kind) { v.Retention.Tiers = nil }, "without rollups the kind would have nothing"},
		"without a gap":          {func(v, _ *catalog.Kind) { v.Sessions.Gap = 0 }, "sessionsOf.gap: 0s is out of bounds"},
		"with a long gap":        {func(v, _ *catalog.Kind) { v.Sessions.Gap = 61 * time.Minute }, "at most one hour"},
		"followed too short":     {func(v, _ *catalog.Kind) { v.Sessions.Follow = time.Minute }, "shorter than the gap"},
		"in immediate tiers":     {func(v, _ *catalog.Kind) { v.Retention.Tiers[0].Deferred = false }, "want deferred tiers"},
		"with a short grace":     {func(v, _ *catalog.Kind) { v.Retention.Tiers[0].Grace = time.Minute }, "tiers.hour: sessions end after a gap of 30m0s"},
		"of short-lived events":  {func(_, k *catalog.Kind) { k.Retention.Raw = 4 * tier.Day24 }, "sources are kept for 96h0m0s, which is too short"},
	} {
		t.Run(name, func(t *testing.T) {
			visit, click := visits(), clicks()
			click.Retention = tier.Standard()
			c.change(&visit, &click)
			if click.OrderBy != "" {
				click.Retention = tier.Policy{Raw: 30 * tier.Day24}
			}
			if _, err := catalog.New(click, visit); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
