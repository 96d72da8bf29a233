package keys

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// A parser does not parse again what a key shares with the one before: the series that it keeps is
// marked here, and the mark is in the result if and only if the shared part was used.
func TestEventParser_UsesTheSharedPart(t *testing.T) {
	key := func(id, kind, stream string, shard int, at model.Time, event string) Key {
		s := model.Series{Subject: model.Subject{Type: "DEVICE", ID: id}, Kind: kind, Stream: stream, Shard: shard}
		return Event(model.EventKey{Series: s, Order: model.Order{At: at, ID: event}})
	}
	first := key("a", "READING", "status", 0, 0, "1")
	otherType := key("a", "READING", "status", 0, 5, "")
	otherType.PK = "SENSORS#a"
	for name, c := range map[string]struct {
		k      Key
		shares bool
	}{
		"the same key":               {first, true},
		"another time":               {key("a", "READING", "status", 0, 5, "1"), true},
		"without an id":              {key("a", "READING", "status", 0, 5, ""), true},
		"another subject":            {key("bbb", "READING", "status", 0, 5, "1"), true},
		"an escaped id":              {key("a", "READING", "status", 0, 5, "x#y"), false},
		"an escaped subject":         {key("a#b", "READING", "status", 0, 5, "1"), false},
		"another shard":              {key("a", "READING", "status", 2, 5, "1"), false},
		"another kind":               {key("a", "WEATHER", "status", 0, 5, "1"), false},
		"another stream":             {key("a", "READING", "longer", 0, 5, "1"), false},
		"a stream that is no longer": {key("a", "READING", "", 0, 5, "1"), false},
		"another type":               {otherType, false},
	} {
		var p EventParser
		var got model.EventKey
		if err := p.Parse(first, &got); err != nil {
			t.Fatal(err)
		}
		p.series.Stream = "marked"
		if err := p.Parse(c.k, &got); err != nil {
			t.Fatal(err)
		}
		if shares := got.Series.Stream == "marked"; shares != c.shares {
			t.Errorf("%s: the shared part is used: %v, want %v", name, shares, c.shares)
		}
		want, _ := ParseEvent(c.k)
		if got.Series.Stream = want.Series.Stream; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if want.Series.Shard == 0 && got.Series.Subject.ID != "a#b" && p.pk != c.k.PK {
			t.Errorf("%s: the parser keeps the partition %q, want %q", name, p.pk, c.k.PK)
		}
	}
}

// After a key that is no event's, a parser shares nothing.
func TestEventParser_KeepsNothingOfADamagedKey(t *testing.T) {
	k := Event(model.EventKey{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"},
		Kind: "READING"}})
	var p EventParser
	var got model.EventKey
	for _, damaged := range []Key{{PK: k.PK, SK: "EVENT#x"}, {PK: "DEVICE", SK: k.SK}} {
		if err := p.Parse(k, &got); err != nil || p.prefix != "EVENT#READING##" || p.subject != "DEVICE#" {
			t.Fatalf("%+v, %v", p, err)
		}
		if damaged.PK == "DEVICE" {
			p.prefix = "" // nothing is shared
		}
		if err := p.Parse(damaged, &got); !errors.Is(err, ErrKeyForm) || p.pk != "" || p.prefix != "" ||
			p.series != (model.Series{}) {
			t.Errorf("%q: %v, the parser keeps %+v", damaged, err, p)
		}
	}
}

// A range of all time has bounds that the keys of all storable times lie between.
func TestRanges_OfAllTimeAreBetweenTheFirstAndTheLastStorableTime(t *testing.T) {
	s := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING"}
	lo, hi := EventRange(s, -1<<62, 1<<62)
	for _, at := range []model.Time{model.MinTime, 0, model.MaxTime} {
		if sk := Event(model.EventKey{Series: s, Order: model.Order{At: at, ID: "z"}}).SK; sk < lo || sk > hi {
			t.Errorf("%q is not between %q and %q", sk, lo, hi)
		}
	}
	if want, _ := EventRange(s, model.MinTime, 1); lo != want {
		t.Errorf("the range begins at %q, want %q", lo, want)
	}
	if _, want := EventRange(s, 0, model.MaxTime+1); hi != want {
		t.Errorf("the range ends at %q, want %q", hi, want)
	}
}

func TestParse_AKeyOfAnotherFormIsAnError(t *testing.T) {
	for name, parse := range map[string]func() error{
		"metadata with another sort key": func() error { _, err := ParseMetadata(Key{"DEVICE#a", "METADATA2"}); return err },
		"metadata without a subject":     func() error { _, err := ParseMetadata(Key{"DEVICE", "METADATA"}); return err },
		"a partition without a subject":  func() error { _, err := ParsePartition("DEVICE"); return err },
	} {
		if err := parse(); !errors.Is(err, ErrKeyForm) {
			t.Errorf("%s: %v, want %v", name, err, ErrKeyForm)
		}
	}
	s := model.Subject{Type: "DEVICE", ID: "a"}
	if got, err := ParseMetadata(Metadata(s)); err != nil || got != s {
		t.Errorf("got %v, %v; want %v", got, err, s)
	}
	if got, err := ParsePartition(SubjectPartition(s)); err != nil || got.Subject != s {
		t.Errorf("got %v, %v; want %v", got, err, s)
	}
}

func TestParseShard_NeedsADigit(t *testing.T) {
	for key, want := range map[string]struct {
		base  string
		shard int
		ok    bool
	}{
		shardKey("a", 3): {"a", 3, true}, shardInfix + "3": {"", 3, true}, "a": {"a", 0, false},
		"a" + shardInfix:        {"a" + shardInfix, 0, false},
		"a" + shardInfix + "03": {"a" + shardInfix + "03", 0, false}, "a" + shardInfix + "-1": {"a" + shardInfix + "-1", 0, false},
	} {
		if base, shard, ok := ParseShard(key); base != want.base || shard != want.shard || ok != want.ok {
			t.Errorf("%q: %q, %d, %v; want %+v", key, base, shard, ok, want)
		}
	}
}
