package keys_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// hostile generates text that could break keys: separators, escapes, their digits, control
// characters and the characters that sort next to them, and runes of all lengths.
func hostile(least int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]rune{
		'#', '%', '$', '"', '&', ' ', '!', '~', '0', '2', '3', '5', 'A', 'a', 'b', 'Z', 'T', ':', '-', '.',
		0, 1, '\t', '\n', 0x1f, 0x7f, 0x80, 'é', '\uFFFD', '\uFFFF', '\U00010000', '🌊', '\U0010FFFF',
	}), least, 6), func(r []rune) string { return string(r) })
}

func anyTime() *rapid.Generator[model.Time] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)), func(ms int64) model.Time {
			return model.Time(ms)
		}),
		rapid.SampledFrom([]model.Time{model.MinTime, -1, 0, 1, 999, 1000, model.MaxTime}),
	)
}

func anySeries() *rapid.Generator[model.Series] {
	return rapid.Custom(func(t *rapid.T) model.Series {
		return model.Series{
			Subject: model.Subject{Type: hostile(1).Draw(t, "type"), ID: hostile(1).Draw(t, "subject id")},
			Kind:    hostile(1).Draw(t, "kind"),
			Stream:  hostile(0).Draw(t, "stream"),
			Shard:   rapid.IntRange(0, 12).Draw(t, "shard"),
		}
	})
}

func anyEventKey() *rapid.Generator[model.EventKey] {
	return rapid.Custom(func(t *rapid.T) model.EventKey {
		return model.EventKey{
			Series: anySeries().Draw(t, "series"),
			Order:  model.Order{At: anyTime().Draw(t, "at"), ID: hostile(0).Draw(t, "id")},
		}
	})
}

func anyUnit() *rapid.Generator[tier.Unit] {
	return rapid.SampledFrom([]tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month})
}

func anyRowKey() *rapid.Generator[rollup.Key] {
	return rapid.Custom(func(t *rapid.T) rollup.Key {
		u := anyUnit().Draw(t, "unit")
		return rollup.Key{
			Series: anySeries().Draw(t, "series"),
			Tier:   u.String(),
			Start:  u.BucketAt(anyTime().Draw(t, "at")).Start,
		}
	})
}

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

func reading(id, stream string) model.Series {
	return model.Series{Subject: model.Subject{Type: "DEVICE", ID: id}, Kind: "READING", Stream: stream}
}

func TestKeys_MatchTheDocumentedSpelling(t *testing.T) {
	series := reading("sensor_01", "status")
	sharded := series
	sharded.Shard = 12
	when := at("2026-04-20T14:05:00Z")
	odd := reading("a#b %", "")
	for name, c := range map[string]struct{ got, want keys.Key }{
		"profile":   {keys.Metadata(series.Subject), keys.Key{PK: "DEVICE#sensor_01", SK: "METADATA"}},
		"latest":    {keys.Latest(series), keys.Key{PK: "DEVICE#sensor_01", SK: "CURRENT#READING#status"}},
		"no stream": {keys.Latest(odd), keys.Key{PK: "DEVICE#a%23b%20%25", SK: "CURRENT#READING#"}},
		"shard":     {keys.Latest(sharded), keys.Key{PK: "DEVICE#sensor_01#12", SK: "CURRENT#READING#status"}},
		"event": {keys.Event(model.EventKey{Series: series, Order: model.Order{At: when, ID: "7"}}),
			keys.Key{PK: "DEVICE#sensor_01", SK: "EVENT#READING#status#2026-04-20T14:05:00.000Z#7"}},
		"event without id": {keys.Event(model.EventKey{Series: reading("sensor_01", ""), Order: model.Order{At: when}}),
			keys.Key{PK: "DEVICE#sensor_01", SK: "EVENT#READING##2026-04-20T14:05:00.000Z#"}},
		"hour": {keys.Row(rollup.Key{Series: series, Tier: "hour", Start: when}),
			keys.Key{PK: "DEVICE#sensor_01", SK: "AGG#hour#READING#status#2026-04-20-14"}},
		"month": {keys.Row(rollup.Key{Series: sharded, Tier: "month", Start: when}),
			keys.Key{PK: "DEVICE#sensor_01#12", SK: "AGG#month#READING#status#2026-04"}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

func TestEvent_ByteOrderOfKeysIsTheOrderOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyEventKey().Draw(t, "a"), anyEventKey().Draw(t, "b")
		b.Series = a.Series
		if rapid.Bool().Draw(t, "same time") {
			b.At = a.At
		}
		if rapid.Bool().Draw(t, "one id begins the other") {
			b.ID = a.ID + b.ID
		}
		if got, want := cmp.Compare(keys.Event(a).SK, keys.Event(b).SK), a.Order.Compare(b.Order); got != want {
			t.Fatalf("%q and %q compare as %d, their events as %d", keys.Event(a).SK, keys.Event(b).SK, got, want)
		}
	})
}

func TestRow_ByteOrderOfKeysIsTimeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyRowKey().Draw(t, "a"), anyRowKey().Draw(t, "b")
		u, _ := tier.ParseUnit(a.Tier)
		b = rollup.Key{Series: a.Series, Tier: a.Tier, Start: u.BucketAt(b.Start).Start}
		if got, want := cmp.Compare(keys.Row(a).SK, keys.Row(b).SK), cmp.Compare(a.Start, b.Start); got != want {
			t.Fatalf("%q and %q compare as %d, their buckets as %d", keys.Row(a).SK, keys.Row(b).SK, got, want)
		}
	})
}

func TestParse_IsTheInverseOfEveryBuilder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEventKey().Draw(t, "event")
		if got, err := keys.ParseEvent(keys.Event(e)); err != nil || got != e {
			t.Fatalf("event: got %v, %v; want %v", got, err, e)
		}
		if got, err := keys.ParseLatest(keys.Latest(e.Series)); err != nil || got != e.Series {
			t.Fatalf("series: got %v, %v; want %v", got, err, e.Series)
		}
		r := anyRowKey().Draw(t, "row")
		if got, err := keys.ParseRow(keys.Row(r)); err != nil || got != r {
			t.Fatalf("row: got %v, %v; want %v", got, err, r)
		}
	})
}

// Different events and series have different keys, whatever their parts are, and a key is
// parsed as one class only.
func TestKeys_NoValueForgesAnotherKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyEventKey().Draw(t, "a"), anyEventKey().Draw(t, "b")
		if (a == b) != (keys.Event(a) == keys.Event(b)) {
			t.Fatalf("%v and %v have keys %v and %v", a, b, keys.Event(a), keys.Event(b))
		}
		if (a.Series == b.Series) != (keys.Latest(a.Series) == keys.Latest(b.Series)) {
			t.Fatalf("%v and %v have latest items %v and %v", a.Series, b.Series, keys.Latest(a.Series),
				keys.Latest(b.Series))
		}
		if _, err := keys.ParseLatest(keys.Event(a)); !errors.Is(err, keys.ErrKeyForm) {
			t.Fatalf("the key of event %v is parsed as a latest item", a)
		}
		if _, err := keys.ParseRow(keys.Event(a)); !errors.Is(err, keys.ErrKeyForm) {
			t.Fatalf("the key of event %v is parsed as a row", a)
		}
		if _, err := keys.ParseEvent(keys.Row(anyRowKey().Draw(t, "row"))); !errors.Is(err, keys.ErrKeyForm) {
			t.Fatal("the key of a row is parsed as an event")
		}
	})
}

func TestKeys_KnownForgeriesFail(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b keys.Key
	}{
		{"subject that contains a shard", keys.Latest(reading("d#2", "")), keys.Latest(model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d"}, Kind: "READING", Shard: 2})},
		{"subject that is already escaped", keys.Latest(reading("d%23", "")), keys.Latest(reading("d#", ""))},
		{"stream that contains a time", keys.Latest(reading("d", "a#2026")), keys.Latest(reading("d", "a"))},
		{"type that contains an id", keys.Metadata(model.Subject{Type: "A#B", ID: "c"}), keys.Metadata(model.Subject{Type: "A", ID: "B#c"})},
		{"line break", keys.Metadata(model.Subject{Type: "A", ID: "b\n"}), keys.Metadata(model.Subject{Type: "A", ID: "b"})},
	} {
		if c.a == c.b {
			t.Errorf("%s: both are %v", c.name, c.a)
		}
	}
}

func TestKeys_ContainNoControlCharacterAndOnlySeparatorsBetweenParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := keys.Event(anyEventKey().Draw(t, "event"))
		if got := strings.Count(k.SK, "#"); got != 4 {
			t.Fatalf("%q has %d separators, want 4", k.SK, got)
		}
		if i := strings.IndexFunc(k.PK+k.SK, func(r rune) bool { return r <= ' ' }); i >= 0 {
			t.Fatalf("%q contains a control character", k)
		}
		if err := k.Check(); err != nil {
			t.Fatalf("a key of valid parts: %v", err)
		}
	})
}

func TestParseEvent_RefusesKeysThatAreNeverBuilt(t *testing.T) {
	const pk, sk = "DEVICE#d", "EVENT#READING##2026-04-20T14:00:00.000Z#7"
	if _, err := keys.ParseEvent(keys.Key{PK: pk, SK: sk}); err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]keys.Key{
		"empty":                  {},
		"no sort key":            {PK: pk},
		"no partition key":       {SK: sk},
		"no subject id":          {PK: "DEVICE#", SK: sk},
		"no subject type":        {PK: "#d", SK: sk},
		"type alone":             {PK: "DEVICE", SK: sk},
		"shard zero":             {PK: "DEVICE#d#0", SK: sk},
		"shard with zeros":       {PK: "DEVICE#d#01", SK: sk},
		"shard with sign":        {PK: "DEVICE#d#+1", SK: sk},
		"shard is not a number":  {PK: "DEVICE#d#x", SK: sk},
		"shard is too large":     {PK: "DEVICE#d#99999999999999999999", SK: sk},
		"empty shard":            {PK: "DEVICE#d#", SK: sk},
		"four parts":             {PK: "DEVICE#d#1#2", SK: sk},
		"another class":          {PK: pk, SK: "EVENTS#READING##2026-04-20T14:00:00.000Z#7"},
		"no kind":                {PK: pk, SK: "EVENT###2026-04-20T14:00:00.000Z#7"},
		"no id part":             {PK: pk, SK: "EVENT#READING##2026-04-20T14:00:00.000Z"},
		"one part too many":      {PK: pk, SK: sk + "#"},
		"time without fraction":  {PK: pk, SK: "EVENT#READING##2026-04-20T14:00:00Z#7"},
		"time of another width":  {PK: pk, SK: "EVENT#READING##2026-04-20T14:00:00.0000Z#7"},
		"invalid time":           {PK: pk, SK: "EVENT#READING##2026-02-30T14:00:00.000Z#7"},
		"lower-case escape":      {PK: pk, SK: sk + "%2f"},
		"escape of a letter":     {PK: pk, SK: sk + "%41"},
		"escape of a high byte":  {PK: pk, SK: sk + "%C3"},
		"escape cut short":       {PK: pk, SK: sk + "%2"},
		"escape without a digit": {PK: pk, SK: sk + "%2G"},
		"percent alone":          {PK: pk, SK: sk + "%"},
		"space not escaped":      {PK: pk, SK: sk + " "},
		"line break not escaped": {PK: "DEVICE#d\n", SK: sk},
	} {
		if got, err := keys.ParseEvent(k); !errors.Is(err, keys.ErrKeyForm) {
			t.Errorf("%s: %v was parsed as %v, %v; want ErrKeyForm", name, k, got, err)
		}
	}
}

func TestParseRow_RefusesUnknownTiersAndLabels(t *testing.T) {
	for _, sk := range []string{
		"AGG#hour#READING##2026-04-20", "AGG#hour#READING##2026-04-20-24", "AGG#hour#READING##2026-04-20-1",
		"AGG#week#READING##2026-17", "AGG#day#READING##2026-02-29", "AGG#month#READING##2026-13", "AGG#month#READING##0000-01",
		"AGG##READING##2026-04", "AGG#month###2026-04", "AGG#month#READING#2026-04", "AGG#HOUR#READING##2026-04-20-14",
	} {
		if got, err := keys.ParseRow(keys.Key{PK: "DEVICE#d", SK: sk}); !errors.Is(err, keys.ErrKeyForm) {
			t.Errorf("%s was parsed as %v, %v; want ErrKeyForm", sk, got, err)
		}
	}
}

func TestParseRow_SaysThatANameIsEmpty(t *testing.T) {
	_, err := keys.ParseRow(keys.Key{PK: "DEVICE#d", SK: "AGG#month###2026-04"})
	if err == nil || !strings.Contains(err.Error(), "a name in it is empty") ||
		!strings.Contains(err.Error(), "AGG#month###2026-04") {
		t.Errorf("the error is %v, want the key and what is empty", err)
	}
}

func FuzzKeyRoundTrip(f *testing.F) {
	testenv.AddCorpus(f)
	f.Add("DEVICE", "sensor_01", "READING", "status", "7", int64(1776693600000), 0)
	f.Add("A#B", "%23", "K%", "#\x00", "\U0010FFFF#", int64(model.MaxTime), 3)
	f.Add("D", "\xff", "K", "", "", int64(model.MinTime), 1)
	f.Fuzz(func(t *testing.T, typ, subject, kind, stream, id string, ms int64, shard int) {
		want := model.EventKey{
			Series: model.Series{Subject: model.Subject{Type: typ, ID: subject}, Kind: kind, Stream: stream, Shard: max(shard, 0)},
			Order:  model.Order{At: min(max(model.Time(ms), model.MinTime), model.MaxTime), ID: id},
		}
		k := keys.Event(want)
		got, err := keys.ParseEvent(k)
		if complete := typ != "" && subject != "" && kind != ""; !complete {
			if err == nil {
				t.Fatalf("%v without a name was parsed", k)
			}
			return
		}
		if err != nil || got != want {
			t.Fatalf("got %v, %v; want %v", got, err, want)
		}
		if lo, hi := keys.EventRange(want.Series, want.At, want.At+1); k.SK < lo || k.SK > hi {
			t.Fatalf("%q is outside its own range %q to %q", k.SK, lo, hi)
		}
	})
}

// Every key that is parsed is the key that the builder builds for the result. Any other key,
// which another program may have written, is refused.
func FuzzParseEvent(f *testing.F) {
	testenv.AddCorpus(f)
	f.Add("DEVICE#d", "EVENT#READING##2026-04-20T14:00:00.000Z#7")
	f.Add("DEVICE#d#3", "EVENT#READING#a%23#9999-12-31T23:59:59.999Z#%25")
	f.Add("#", "EVENT####")
	f.Fuzz(func(t *testing.T, pk, sk string) {
		k := keys.Key{PK: pk, SK: sk}
		if e, err := keys.ParseEvent(k); err == nil && keys.Event(e) != k {
			t.Fatalf("%q was parsed as %v, which has the key %q", k, e, keys.Event(e))
		}
		if s, err := keys.ParseLatest(k); err == nil && keys.Latest(s) != k {
			t.Fatalf("%q was parsed as %v, which has the key %q", k, s, keys.Latest(s))
		}
		if r, err := keys.ParseRow(k); err == nil && keys.Row(r) != k {
			t.Fatalf("%q was parsed as %v, which has the key %q", k, r, keys.Row(r))
		}
	})
}

func ExampleEvent() {
	k := keys.Event(model.EventKey{
		Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "hall #3"}, Kind: "READING", Stream: "status"},
		Order:  model.Order{At: model.NewTime(time.Date(2026, 4, 20, 14, 0, 0, 0, time.UTC)), ID: "7"},
	})
	fmt.Println(k.PK)
	fmt.Println(k.SK)
	// Output:
	// DEVICE#hall%20%233
	// EVENT#READING#status#2026-04-20T14:00:00.000Z#7
}

func BenchmarkEvent(b *testing.B) {
	e := model.EventKey{Series: reading("sensor_01", "status"), Order: model.Order{At: 1776693600000, ID: "01J"}}
	for b.Loop() {
		keys.Event(e)
	}
}

func BenchmarkParseEvent(b *testing.B) {
	k := keys.Event(model.EventKey{Series: reading("sensor_01", "status"),
		Order: model.Order{At: 1776693600000, ID: "01J"}})
	for b.Loop() {
		if _, err := keys.ParseEvent(k); err != nil {
			b.Fatal(err)
		}
	}
}
