package keys_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Consecutive keys share a partition, a series or nothing, and some are damaged. The result
// must never depend on the keys before.
func TestEventParser_MatchesParseEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := rapid.SliceOfN(anySeries(), 1, 3).Draw(t, "series")
		var p keys.EventParser
		for range rapid.IntRange(1, 12).Draw(t, "keys") {
			s := rapid.SampledFrom(series).Draw(t, "of")
			s.Shard = rapid.IntRange(0, 2).Draw(t, "shard")
			if rapid.Bool().Draw(t, "same kind") {
				s.Kind, s.Stream = series[0].Kind, series[0].Stream
			}
			k := keys.Event(model.EventKey{Series: s,
				Order: model.Order{At: anyTime().Draw(t, "at"), ID: hostile(0).Draw(t, "id")}})
			if rapid.IntRange(0, 3).Draw(t, "damage") == 0 {
				k.SK = damaged(t, k.SK)
			}
			if rapid.IntRange(0, 5).Draw(t, "damage partition") == 0 {
				k.PK = damaged(t, k.PK)
			}
			want, wantErr := keys.ParseEvent(k)
			var got model.EventKey
			err := p.Parse(k, &got)
			if err == nil && got != want || (err == nil) != (wantErr == nil) {
				t.Fatalf("%q: got %+v, %v; want %+v, %v", k, got, err, want, wantErr)
			}
		}
	})
}

// The escape of % begins with %: the type is not the beginning of the partition key.
func TestEventParser_OfATypeThatEndsWithPercent(t *testing.T) {
	k := keys.Event(model.EventKey{Series: model.Series{Subject: model.Subject{Type: "a%", ID: "b"}, Kind: "c"}})
	var p keys.EventParser
	var got model.EventKey
	if err := p.Parse(k, &got); err != nil {
		t.Fatal(err)
	}
	k.PK = strings.Replace(k.PK, "#", "2", 1) // no separator is left
	if err := p.Parse(k, &got); err == nil {
		t.Errorf("%q: got %+v, want an error", k, got)
	}
}

// damaged returns text with one byte replaced.
func damaged(t *rapid.T, text string) string {
	b := []byte(text)
	b[rapid.IntRange(0, len(b)-1).Draw(t, "place")] = rapid.SampledFrom([]byte("#%20AZ:.-x")).Draw(t, "byte")
	return string(b)
}

func TestEventParser_AllocatesNothing(t *testing.T) {
	var run []keys.Key
	for i := range 100 {
		s := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}
		if i%3 == 0 {
			s.Subject.ID = "sensor_02"
		}
		run = append(run, keys.Event(
			model.EventKey{Series: s, Order: model.Order{At: model.Time(1776693600000 + i), ID: "a"}}))
	}
	var p keys.EventParser
	var to model.EventKey
	if got := testing.AllocsPerRun(10, func() {
		for _, k := range run {
			if err := p.Parse(k, &to); err != nil {
				t.Fatal(err)
			}
		}
	}); got != 0 {
		t.Errorf("%v allocations for %d keys, want none", got, len(run))
	}
}

// A key that ends with its time, or with the type of its subject, is not complete.
func TestEventParser_RejectsAKeyThatIsCutOff(t *testing.T) {
	k := keys.Event(model.EventKey{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d"},
		Kind: "READING"}})
	withoutID := keys.Key{PK: k.PK, SK: strings.TrimSuffix(k.SK, "#")}
	for _, cut := range []keys.Key{withoutID, {PK: "DEVICE#", SK: k.SK}, {PK: "DEVICE", SK: k.SK}} {
		var p keys.EventParser
		var got model.EventKey
		if err := p.Parse(k, &got); err != nil {
			t.Fatal(err)
		}
		if err := p.Parse(cut, &got); err == nil {
			t.Errorf("%q: got %+v, want an error", cut, got)
		}
	}
}
