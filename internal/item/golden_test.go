package item_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var update = flag.Bool("update", false, "write testdata/golden anew; a changed file is a changed table format")

// sameNoun compares nouns, numbers by value and summaries by their canonical bytes.
var sameNoun = cmp.Options{
	cmp.Comparer(func(a, b model.Decimal) bool { return a == b }),
	cmp.Comparer(func(a, b *rollup.Summary) bool {
		if a == nil || b == nil {
			return a == b
		}
		return bytes.Equal(a.Encode(nil), b.Encode(nil))
	}),
}

// form is one noun in one of its stored forms.
type form struct {
	noun   any
	encode func() (item.Item, error)
	decode func(item.Item) (any, error)
}

func eventForm(e model.Event) form {
	return form{e, func() (item.Item, error) { return item.FromEvent(&e), nil },
		func(it item.Item) (any, error) { return item.Event(it) }}
}

func currentForm(c model.Current) form {
	return form{c, func() (item.Item, error) { return item.FromCurrent(&c), nil },
		func(it item.Item) (any, error) { return item.Current(it) }}
}

func rowForm(r rollup.Row) form {
	return form{r, func() (item.Item, error) { return item.FromRow(&r) },
		func(it item.Item) (any, error) { return item.Row(it) }}
}

func quarantinedForm(q model.Quarantined) form {
	return form{q, func() (item.Item, error) { return item.FromQuarantined(&q), nil },
		func(it item.Item) (any, error) { return item.Quarantined(it) }}
}

func watermarkForm(at model.Time) form {
	return form{at, func() (item.Item, error) { return item.FromWatermark(at), nil },
		func(it item.Item) (any, error) { return item.Watermark(it) }}
}

func gapForm(g model.Gap) form {
	return form{g, func() (item.Item, error) { return item.FromGap(g), nil },
		func(it item.Item) (any, error) { return item.Gap(it) }}
}

func saltForm(s model.Salt) form {
	return form{s, func() (item.Item, error) { return item.FromSalt(&s), nil },
		func(it item.Item) (any, error) { return item.Salt(it) }}
}

// forms are all stored forms there are. An item that any release wrote is read by
// every later one: files are added here, and never changed.
func forms() map[string]form {
	bare := event()
	bare.Series.Stream, bare.ID, bare.Attrs, bare.ExpiresAt = "", "", nil, 0
	bare.Hash = model.HashOf(nil)
	odd := event()
	odd.Series = model.Series{Subject: model.Subject{Type: "SITE", ID: "a#b 🌊"}, Kind: "PAGEVIEW", Stream: "50%", Shard: 7}
	odd.At, odd.ID = model.MinTime, "\x00#"

	indexed := event()
	indexed.IndexBy = "location"
	late := event()
	late.Late = true

	fenced := current()
	fenced.Fenced = true
	enriched := model.Current{Series: current().Series, Attrs: model.Attrs{{Name: "accountId", Value: model.TextValue("acc-1")}}}

	forever := row()
	forever.Key.Tier, forever.Key.Start = "month", at("2026-04-01T00:00:00Z")
	forever.ExpiresAt, forever.ChildrenUntil = 0, rollup.NoExpiry
	marked := row()
	marked.Exact, marked.ChildrenUntil, marked.Unreadable = false, 0, 2
	resumed := row()
	resumed.Resume = (&rollup.Resume{At: at("2026-04-20T14:10:00Z"), Newest: at("2026-04-20T14:12:30Z"), Before: resumed.Fold}).Encode(spec())
	empty := rollup.Row{Key: row().Key, Fold: *rollup.NewFold(spec()), Rev: row().Rev, V: item.Version,
		ExpiresAt: row().ExpiresAt, WrittenAt: row().WrittenAt, Empty: true}

	byDoor := quarantined()
	byDoor.Door, byDoor.Subject, byDoor.Errors, byDoor.Payload, byDoor.ExpiresAt = "stream", model.Subject{}, nil, nil, 0

	all := map[string]form{
		"event":                  eventForm(event()),
		"event-bare":             eventForm(bare),
		"event-odd":              eventForm(odd),
		"event-indexed":          eventForm(indexed),
		"event-late":             eventForm(late),
		"salt":                   saltForm(model.Salt{Day: at("2026-04-20T00:00:00Z"), Secret: []byte("thirty-two bytes of a day's salt"), ExpiresAt: 1776733200}),
		"watermark":              watermarkForm(at("2026-04-20T14:00:00Z")),
		"gap":                    gapForm(model.Gap{From: at("2026-04-20T14:00:00Z"), To: at("2026-04-22T09:00:00Z")}),
		"current":                currentForm(current()),
		"current-fenced":         currentForm(fenced),
		"current-enrichment":     currentForm(enriched),
		"row":                    rowForm(row()),
		"row-forever":            rowForm(forever),
		"row-resume":             rowForm(resumed),
		"row-marked":             rowForm(marked),
		"row-empty":              rowForm(empty),
		"quarantined-by-subject": quarantinedForm(quarantined()),
		"quarantined-by-door":    quarantinedForm(byDoor),
	}
	maps.Copy(all, lifecycleForms())
	maps.Copy(all, alertForms())
	return all
}

func TestGolden_EveryFormIsWrittenAsItAlwaysWas(t *testing.T) {
	for name, f := range forms() {
		it, err := f.encode()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, path := toJSON(t, it), filepath.Join("testdata", "golden", name+".json")
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stored otherwise than before (-want +got):\n%s", name, diff)
		}
	}
}

func TestGolden_EveryFormIsReadBackWhole(t *testing.T) {
	for name, f := range forms() {
		text, err := os.ReadFile(filepath.Join("testdata", "golden", name+".json"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := f.decode(fromJSON(t, text))
		if diff := cmp.Diff(f.noun, got, sameNoun); err != nil || diff != "" {
			t.Errorf("%s: %v, read otherwise than written (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestGolden_NoFileIsLeftUnread(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden items: %v", err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		if _, ok := forms()[name[:len(name)-len(".json")]]; !ok {
			t.Errorf("nobody reads %s", path)
		}
	}
}

// toJSON is the form in which the AWS console and command line show an item.
func toJSON(t testing.TB, it item.Item) []byte {
	t.Helper()
	doc := make(map[string]map[string]any, len(it))
	for name, v := range it {
		switch v.Type {
		case item.S:
			doc[name] = map[string]any{"S": v.S}
		case item.N:
			doc[name] = map[string]any{"N": v.S}
		case item.B:
			doc[name] = map[string]any{"B": v.B}
		case item.Bool:
			doc[name] = map[string]any{"BOOL": v.Bool}
		case item.Null:
			doc[name] = map[string]any{"NULL": true}
		default:
			t.Fatalf("%s has a type that we never write", name)
		}
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

func fromJSON(t testing.TB, text []byte) item.Item {
	t.Helper()
	var doc map[string]attribute
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return itemOf(doc)
}

// attribute is an attribute value in that form.
type attribute struct {
	S, N *string
	B    []byte
	Bool *bool `json:"BOOL"`
	Null *bool `json:"NULL"`
}

func itemOf(doc map[string]attribute) item.Item {
	it := make(item.Item, len(doc))
	for name, a := range doc {
		switch {
		case a.S != nil:
			it[name] = item.Value{Type: item.S, S: *a.S}
		case a.N != nil:
			it[name] = item.Value{Type: item.N, S: *a.N}
		case a.B != nil:
			it[name] = item.Value{Type: item.B, B: a.B}
		case a.Bool != nil:
			it[name] = item.Value{Type: item.Bool, Bool: *a.Bool}
		case a.Null != nil:
			it[name] = item.Value{Type: item.Null}
		default:
			it[name] = item.Value{}
		}
	}
	return it
}
