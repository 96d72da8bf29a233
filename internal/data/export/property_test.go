package export

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestEvents_HavePropertiesByNameAndCanBeImportedAgain(t *testing.T) {
	kinds, err := catalog.New(web.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Kind(web.CustomEvents.Name)
	clock := func() model.Time { return testNow }
	table := memory.New(clock)
	order := model.Order{At: testNow - hour, ID: "e1"}
	text := func(name, value string) model.Attr { return model.Attr{Name: name, Value: model.TextValue(value)} }
	stored := model.Attrs{text("name", "Buy"), text("prop1", "Buy?a%3Fb=c=d"), text("prop2", "Buy?plan=pro")}
	for i := range kind.ShardSeries(model.Series{}) {
		at := model.Order{At: order.At, ID: order.ID + strings.Repeat("x", i)} // in several shards
		e := model.Event{Series: kind.Series("shop", "", at), Order: at, Attrs: stored}
		e.Hash = model.HashAttrs(stored)
		if _, err := table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	of := query.Series{Kind: kind, Subject: "shop"}
	checker := ingest.Checker{Kind: kind, Limits: config.Default().Limits, Now: testNow,
		Rand: rand.NewChaCha8([32]byte{})}
	found := 0
	for e, err := range newSource(t, table, kinds).Query.EachEvent(t.Context(),
		query.History{Series: of, From: 0, To: testNow}) {
		if err != nil {
			t.Fatal(err)
		}
		line, err := event{of, e}.json()
		if err != nil || !strings.Contains(string(line), `"name":"Buy","props.a?b":"c=d","props.plan":"pro"}`) {
			t.Fatalf("%v: %s", err, line)
		}
		cells, err := event{of, e}.cells()
		if err != nil || cells[len(cells)-1] != `{"name":"Buy","props.a?b":"c=d","props.plan":"pro"}` {
			t.Fatalf("%v: %q", err, cells)
		}
		again, wrong, err := checker.Observation(ingest.DecodeObject(line))
		if err != nil || len(wrong) > 0 || !slices.Equal(again.Attrs, stored) || again.Order != e.Order {
			t.Fatalf("%s is imported as %v: %v, %v", line, again.Attrs, wrong, err)
		}
		found++
	}
	if found < 2 {
		t.Fatalf("read %d events", found)
	}
}
