package item_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var update = flag.Bool("update", false, "rewrite testdata/golden; a changed file is a changed table format")

// sameEntity compares entities: numbers by value, summaries by their canonical bytes.
var sameEntity = cmp.Options{
	cmp.Comparer(func(a, b model.Decimal) bool { return a == b }),
	cmp.Comparer(func(a, b *rollup.Summary) bool {
		if a == nil || b == nil {
			return a == b
		}
		return bytes.Equal(a.Encode(nil), b.Encode(nil))
	}),
}

// form is one entity in one of its stored forms.
type form struct {
	entity any
	encode func() (item.Item, error)
	decode func(item.Item) (any, error)
}

func eventForm(e model.Event) form {
	return form{entity: e, encode: func() (item.Item, error) { return item.FromEvent(&e), nil },
		decode: func(it item.Item) (any, error) { return item.Event(it) }}
}

func latestForm(c model.Latest) form {
	return form{entity: c, encode: func() (item.Item, error) { return item.FromLatest(&c), nil },
		decode: func(it item.Item) (any, error) { return item.Latest(it) }}
}

func rowForm(r rollup.Row) form {
	return form{entity: r, encode: func() (item.Item, error) { return item.FromRow(&r) },
		decode: func(it item.Item) (any, error) { return item.Row(it) }}
}

func quarantinedForm(q storage.Quarantined) form {
	return form{entity: q, encode: func() (item.Item, error) { return item.FromQuarantined(&q), nil },
		decode: func(it item.Item) (any, error) { return item.Quarantined(it) }}
}

func streamProgressForm(at model.Time) form {
	return form{entity: at, encode: func() (item.Item, error) { return item.FromStreamProgress(at), nil },
		decode: func(it item.Item) (any, error) { return item.StreamProgress(it) }}
}

func gapForm(g storage.Gap) form {
	return form{entity: g, encode: func() (item.Item, error) { return item.FromGap(g), nil },
		decode: func(it item.Item) (any, error) { return item.Gap(it) }}
}

func blockedForm(b storage.Blocked) form {
	return form{
		entity: b,
		encode: func() (item.Item, error) { return item.FromBlocked(b), nil },
		decode: func(it item.Item) (any, error) { return item.Blocked(it) },
	}
}

func verificationForm(v storage.Verification) form {
	return form{
		entity: v,
		encode: func() (item.Item, error) { return item.FromVerification(v), nil },
		decode: func(it item.Item) (any, error) { return item.Verification(it) },
	}
}

func invalidationForm(i storage.Invalidation) form {
	return form{entity: i, encode: func() (item.Item, error) { return item.FromInvalidation(i), nil },
		decode: func(it item.Item) (any, error) { return item.Invalidation(it) }}
}

func listedSeriesForm(l storage.ListedSeries) form {
	return form{entity: l, encode: func() (item.Item, error) { return item.FromListedSeries(l), nil },
		decode: func(it item.Item) (any, error) { return item.ListedSeries(it) }}
}

func queueConfigForm(c storage.QueueConfig) form {
	return form{
		entity: c,
		encode: func() (item.Item, error) { return item.FromQueueConfig(c), nil },
		decode: func(it item.Item) (any, error) { return item.QueueConfig(it) },
	}
}

// lowWatermarkForm returns the form of the low watermark of queue shard 2.
func lowWatermarkForm(at model.Time) form {
	return form{entity: at, encode: func() (item.Item, error) {
		return item.FromLowWatermark(storage.QueueShard{Number: 2}, at), nil
	},
		decode: func(it item.Item) (any, error) {
			shard, at, err := item.LowWatermark(it)
			if shard != (storage.QueueShard{Number: 2}) {
				err = errors.Join(err, fmt.Errorf("queue shard %v, want 2", shard))
			}
			return at, err
		}}
}

func rotatingSecretForm(s storage.RotatingSecret) form {
	return form{entity: s, encode: func() (item.Item, error) { return item.FromRotatingSecret(&s), nil },
		decode: func(it item.Item) (any, error) { return item.RotatingSecret(it) }}
}

// forms returns all stored forms. Each release must read the items of all earlier ones: files
// are added here, and never changed.
func forms() map[string]form {
	bare := event()
	bare.Series.Stream = ""
	bare.ID = ""
	bare.Attrs = nil
	bare.ExpiresAt = 0
	bare.Hash = model.HashAttrs(nil)
	special := event()
	special.Series = model.Series{Subject: model.Subject{Type: "SITE", ID: "a#b 🌊"}, Kind: "PAGEVIEW",
		Stream: "50%", Shard: 7}
	special.At, special.ID = model.MinTime, "\x00#"

	indexed := event()
	indexed.IndexBy = "location"
	late := event()
	late.Late = true
	corrected := event()
	corrected.CorrectedAt = at("2026-04-21T09:30:00Z")

	locked := latest()
	locked.PurgeLocked = true
	enriched := model.Latest{Series: latest().Series,
		Attrs: model.Attrs{{Name: "accountId", Value: model.TextValue("acc-1")}}}

	forever := row()
	forever.Key.Tier, forever.Key.Start = "month", at("2026-04-01T00:00:00Z")
	forever.ExpiresAt, forever.ChildrenExpireAt = 0, rollup.NoExpiry
	inexact := row()
	inexact.Exact = false
	inexact.ChildrenExpireAt = 0
	inexact.Unreadable = 2
	fields := row()
	fields.FieldsAt = at("2026-04-20T13:30:00Z")
	changed := row()
	changed.NewestCorrection = at("2026-04-21T09:30:00Z")
	empty := rollup.Row{Key: row().Key, Fold: *rollup.NewFold(spec()), Rev: row().Rev, V: item.Version,
		ExpiresAt: row().ExpiresAt, WrittenAt: row().WrittenAt, Empty: true}

	bySource := quarantined()
	bySource.Source = "stream"
	bySource.Subject = model.Subject{}
	bySource.Errors = nil
	bySource.Payload = nil
	bySource.ExpiresAt = 0

	all := map[string]form{
		"event":                    eventForm(event()),
		"event-bare":               eventForm(bare),
		"event-special-characters": eventForm(special),
		"event-indexed":            eventForm(indexed),
		"event-late":               eventForm(late),
		"event-corrected":          eventForm(corrected),
		"rotating-secret":          rotatingSecretForm(storage.RotatingSecret{Day: at("2026-04-20T00:00:00Z"), Secret: []byte("thirty-two bytes of a day's salt"), ExpiresAt: 1776733200}),
		"stream-progress":          streamProgressForm(at("2026-04-20T14:00:00Z")),
		"verification": verificationForm(storage.Verification{
			At: at("2026-04-20T14:00:00Z"), Differ: 3,
		}),
		"blocked-batch": blockedForm(storage.Blocked{
			Seq: "300000000001", Gap: storage.Gap{From: at("2026-04-20T14:00:00Z"), To: at("2026-04-20T14:00:30Z")},
		}),
		"gap":                     gapForm(storage.Gap{From: at("2026-04-20T14:00:00Z"), To: at("2026-04-22T09:00:00Z")}),
		"invalidation":            invalidationForm(storage.FirstGeneration.Invalidation(at("2026-04-20T15:02:00Z"), row().Key)),
		"series":                  listedSeriesForm(storage.ListedSeries{Series: latest().Series, First: at("2026-04-01T08:00:00Z"), Last: at("2026-04-20T14:00:00Z")}),
		"series-profile":          listedSeriesForm(storage.ListedSeries{Series: model.Series{Subject: latest().Series.Subject}}),
		"invalidation-generation": invalidationForm(storage.Generation{Number: 1, Shards: 16}.Invalidation(at("2026-04-20T15:02:00Z"), row().Key)),
		"queue":                   queueConfigForm(generations()),
		"low-watermark":           lowWatermarkForm(at("2026-04-20T14:58:00Z")),
		"latest":                  latestForm(latest()),
		"latest-purge-locked":     latestForm(locked),
		"latest-enrichment":       latestForm(enriched),
		"row":                     rowForm(row()),
		"row-corrected":           rowForm(changed),
		"row-forever":             rowForm(forever),
		"row-fields":              rowForm(fields),
		"row-inexact":             rowForm(inexact),
		"row-empty":               rowForm(empty),
		"quarantined-by-subject":  quarantinedForm(quarantined()),
		"quarantined-by-source":   quarantinedForm(bySource),
	}
	maps.Copy(all, configForms())
	maps.Copy(all, lifecycleForms())
	maps.Copy(all, alertForms())
	return all
}

// generations returns the generations of a table that had four queue shards, then 16, and has 64 since now.
func generations() storage.QueueConfig {
	return storage.QueueConfig{Rev: [16]byte{1, 2, 3}, Generations: storage.Generations{
		{Number: 0, Shards: 4, RetiredAt: at("2026-04-20T14:00:00Z")},
		{Number: 1, Shards: 16, SeenAt: at("2026-04-19T14:00:00Z")},
		{Number: 2, Shards: 64},
	}}
}

func TestGolden_EncodersNeverChangeTheStoredForm(t *testing.T) {
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
			t.Errorf("%s is encoded differently (-want +got):\n%s", name, diff)
		}
	}
}

func TestGolden_DecodersReadEachStoredForm(t *testing.T) {
	for name, f := range forms() {
		text, err := os.ReadFile(filepath.Join("testdata", "golden", name+".json"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := f.decode(fromJSON(t, text))
		if diff := cmp.Diff(f.entity, got, sameEntity); err != nil || diff != "" {
			t.Errorf("%s: %v, is decoded differently (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestGolden_EachFileIsRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden items: %v", err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		if _, ok := forms()[name[:len(name)-len(".json")]]; !ok {
			t.Errorf("no test reads %s", path)
		}
	}
}

// toJSON returns an item in the form of the AWS console and command line.
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
			t.Fatalf("%s has a type that is never written", name)
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
	return goldenItem(doc)
}

// attribute is an attribute value in this form.
type attribute struct {
	S, N *string
	B    []byte
	Bool *bool `json:"BOOL"`
	Null *bool `json:"NULL"`
}

func goldenItem(doc map[string]attribute) item.Item {
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
