package tablekeys_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestSeriesEntry_EntriesAreSortedBySubjectKindAndStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anySeries().Draw(t, "a"), anySeries().Draw(t, "b")
		b.Subject.Type = a.Subject.Type
		want := cmp.Or(strings.Compare(a.Subject.ID, b.Subject.ID), strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Stream, b.Stream))
		if got := strings.Compare(tablekeys.SeriesEntry(a).SK, tablekeys.SeriesEntry(b).SK); got != want {
			t.Fatalf("%q and %q: order %d, want %d", tablekeys.SeriesEntry(a).SK, tablekeys.SeriesEntry(b).SK, got,
				want)
		}
	})
}

func TestSeriesEntries_CoverExactlyTheSeriesOfASubject(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, subject := anySeries().Draw(t, "series"), anySubject().Draw(t, "subject")
		k := tablekeys.SeriesEntry(s)
		pk, prefix := tablekeys.SeriesEntries(s.Subject)
		if k.PK != pk || !strings.HasPrefix(k.SK, prefix) {
			t.Fatalf("%v is not in %q %q", k, pk, prefix)
		}
		if pk, prefix = tablekeys.SeriesEntries(subject); subject != s.Subject && k.PK == pk &&
			strings.HasPrefix(k.SK, prefix) {
			t.Fatalf("%v is in the entries of %s", k, subject)
		}
	})
}

func TestParseSeriesEntry_IsTheInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySeries().Draw(t, "series")
		s.Shard = 0 // all shards are one entry
		if got, err := tablekeys.ParseSeriesEntry(tablekeys.SeriesEntry(s)); err != nil || got != s {
			t.Fatalf("got %v, %v; want %v", got, err, s)
		}
		event := keys.Key{PK: keys.Partition(s), SK: "EVENT#x"}
		if got, err := tablekeys.ParseSeriesEntry(event); !errors.Is(err, keys.ErrKeyForm) {
			t.Fatalf("of an event: %v, %v", got, err)
		}
	})
}

func TestSeriesEntry_LongNamesFitAndDiffer(t *testing.T) {
	long := model.Series{Subject: model.Subject{Type: "DEVICE", ID: strings.Repeat("d", 2000)}, Kind: "READING",
		Stream: strings.Repeat("s", 900)}
	other := long
	other.Stream += "t"
	a, b := tablekeys.SeriesEntry(long), tablekeys.SeriesEntry(other)
	if a == b || a.Check() != nil || b.Check() != nil {
		t.Errorf("%v and %v: want two keys that can be stored", a, b)
	}
	pk, prefix := tablekeys.SeriesEntries(long.Subject)
	if a.PK != pk || !strings.HasPrefix(a.SK, prefix) {
		t.Errorf("%v is not in %q %q", a, pk, prefix)
	}
}

func TestSeriesEntry_IsOneForAllShardsOfASeries(t *testing.T) {
	s := model.Series{Subject: model.Subject{Type: "SITE", ID: "example.com"}, Kind: "PAGE_VIEW"}
	other := s
	other.Shard = 3
	if tablekeys.SeriesEntry(s) != tablekeys.SeriesEntry(other) {
		t.Error("the shards of a series have two entries")
	}
}
