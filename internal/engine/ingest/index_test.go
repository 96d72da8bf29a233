package ingest_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func byLine(k *catalog.Kind) { k.IndexBy = "line" }

func TestAppend_IndexesEventsByTheKindsField(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, byLine), memory.New(clock)
	line := func(value string) model.Attr { return model.Attr{Name: "line", Value: model.TextValue(value)} }
	wantOutcomes(t, appendAll(t, serviceOn(table, 1), kind,
		observation(minute(1), "", line("7")), observation(minute(2), "", num("temperature", 1)),
		observation(minute(3), "", line(""))),
		model.Applied, model.Applied, model.Applied)
	for _, e := range readEvents(t, table, series(kind)) {
		it, err := table.GetItem(t.Context(), keys.Event(e.Key()))
		if err != nil {
			t.Fatal(err)
		}
		want := item.Value{}
		if e.At == minute(1) {
			want = item.Value{Type: item.S, S: tablekeys.IndexPartition(kind.Name, "line", "7")}
		}
		if got := it[keys.AttrGSI2PK]; got.S != want.S || got.Type != want.Type {
			t.Errorf("the event at %s has the index key %+v, want %+v", e.At, got, want)
		}
	}
	if c, err := table.GetItem(t.Context(), keys.Latest(series(kind))); err != nil ||
		c[keys.AttrGSI2PK].S != "" {
		t.Errorf("the latest item is in the index of events: %v, %v", c[keys.AttrGSI2PK], err)
	}
}

func TestValidation_RejectsValuesTheIndexCannotHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, code string }{
		"a number":            {reading(with("line", "7")), ingest.CodeWrongType},
		"a boolean":           {reading(with("line", "true")), ingest.CodeWrongType},
		"longer than a key":   {reading(with("line", long(2500))), ingest.CodeKeyTooLong},
		"ids longer than one": {strings.Replace(reading(with("line", `"a"`)+with("id", `"`+strings.Repeat("#", 200)+`"`)), "sensor_01", strings.Repeat("#", 200), 1), ingest.CodeKeyTooLong},
	} {
		table := memory.New(clock)
		results, err := serviceOn(table, 1).Append(t.Context(), newKind(t, byLine),
			ingest.DecodeObject([]byte(c.body)))
		if err != nil {
			t.Fatal(err)
		}
		if o := results[0]; o.Outcome != model.Rejected || len(o.Errors) != 1 || o.Errors[0].Code != c.code ||
			o.Errors[0].Field != "line" {
			t.Errorf("%s: %s %v, want line rejected with code %s", name, o.Outcome, o.Errors, c.code)
		}
	}
}
