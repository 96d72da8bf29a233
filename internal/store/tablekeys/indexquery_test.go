package tablekeys_test

import (
	"cmp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func indexedEvent(t *rapid.T, name string) model.EventKey {
	text := rapid.String()
	return model.EventKey{
		Series: model.Series{Subject: model.Subject{Type: "SITE", ID: text.Draw(t, name+" subject")}, Kind: "PAGEVIEW", Stream: text.Draw(t, name+" stream")},
		Order:  model.Order{At: model.Time(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)).Draw(t, name+" at")), ID: text.Draw(t, name+" id")},
	}
}

func TestIndexEntry_RoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, value := indexedEvent(t, "event"), rapid.String().Draw(t, "value")
		k := tablekeys.IndexEntry(e, "visitor", value)
		kind, field, back, err := tablekeys.ParseIndexPartition(k.PK)
		if err != nil || kind != "PAGEVIEW" || field != "visitor" || back != value {
			t.Fatalf("%q is parsed as %q %q %q, %v", k.PK, kind, field, back, err)
		}
		subject, stream, order, err := tablekeys.ParseIndexSort(k.SK)
		if err != nil || subject != e.Series.Subject.ID || stream != e.Series.Stream || order != e.Order {
			t.Fatalf("%q is parsed as %q %q %v, %v", k.SK, subject, stream, order, err)
		}
	})
}

func TestIndexEntry_SortsByTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := indexedEvent(t, "a"), indexedEvent(t, "b")
		got := strings.Compare(tablekeys.IndexEntry(a, "f", "v").SK, tablekeys.IndexEntry(b, "f", "v").SK)
		if want := cmp.Compare(a.At, b.At); want != 0 && got != want {
			t.Fatalf("keys compare as %d, times as %d", got, want)
		}
	})
}

func TestIndexRange_IncludesItsStartAndNotItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := indexedEvent(t, "event")
		from, to := model.Time(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)).Draw(t, "from")), e.At
		if rapid.Bool().Draw(t, "inside") {
			to = e.At + 1
		}
		lo, hi := tablekeys.IndexRange(from, to)
		sk := tablekeys.IndexEntry(e, "f", "v").SK
		if got, want := lo <= sk && sk <= hi, from <= e.At && e.At < to; got != want {
			t.Fatalf("%q in [%q, %q]: %v, want %v", sk, lo, hi, got, want)
		}
	})
}

func TestParseIndex_RefusesOtherKeys(t *testing.T) {
	for _, pk := range []string{"", "BY", "BY#a#b", "BY#a#b#c#d", "DEVICE#a#b#c", "BY#a#b#%41"} {
		if _, _, _, err := tablekeys.ParseIndexPartition(pk); err == nil {
			t.Errorf("partition key %q was parsed, want an error", pk)
		}
	}
	for _, sk := range []string{"", "2026-04-20T14:00:00.000Z", "x#a#b#c", "2026-04-20T14:00:00.000Z#a#b#c#d"} {
		if _, _, _, err := tablekeys.ParseIndexSort(sk); err == nil {
			t.Errorf("sort key %q was parsed, want an error", sk)
		}
	}
}
