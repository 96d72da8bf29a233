package keys_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var december = time.Date(2024, 12, 2, 15, 30, 45, 123e6, time.UTC)

func TestTimeKey_HasTheRequestedGranularity(t *testing.T) {
	t.Parallel()
	east := december.In(time.FixedZone("", 10*3600)) // 3 December there
	for by, want := range map[keys.Granularity]string{
		keys.ByYear: "2024", keys.ByMonth: "2024-12", keys.ByDay: "2024-12-02", keys.ByHour: "2024-12-02-15",
		keys.ByMinute: "2024-12-02-15-30", keys.ByInstant: "2024-12-02T15:30:45.123Z",
	} {
		for _, at := range []time.Time{december, east} {
			if got, err := keys.TimeKey(at, by); got != want || err != nil {
				t.Errorf("%s of %s: %q, %v; want %q", by, at, got, err, want)
			}
		}
		start, end, err := keys.ParseTimeKey(want, by)
		if err != nil || december.Before(start) || !december.Before(end) && by != keys.ByInstant {
			t.Errorf("%q is %s to %s, %v; want it to include %s", want, start, end, err, december)
		}
	}
}

func TestTimeKey_RefusesYearsOutsideFourDigits(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC), time.Unix(math.MaxInt32*1000, 0)} {
		if got, err := keys.TimeKey(at, keys.ByDay); !errors.Is(err, keys.ErrTimeKey) {
			t.Errorf("%s: %q, %v; want %v", at, got, err, keys.ErrTimeKey)
		}
	}
	for _, key := range []string{"", "2024", "2024-13-01", "2024-12-2", "2024-12-02-15", "2024-02-30",
		"0000-01-01"} {
		if _, _, err := keys.ParseTimeKey(key, keys.ByDay); !errors.Is(err, keys.ErrTimeKey) {
			t.Errorf("%q by day: %v, want %v", key, err, keys.ErrTimeKey)
		}
	}
}

// The byte order of keys is time order, and a range matches the keys of its times.
func TestTimeKey_OrderAndRangeFollowTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := rapid.SampledFrom([]keys.Granularity{keys.ByYear, keys.ByMonth, keys.ByDay, keys.ByHour,
			keys.ByMinute, keys.ByInstant}).Draw(t, "by")
		instant := rapid.Map(rapid.Int64Range(-60e12, 250e12), time.UnixMilli)
		a, b := instant.Draw(t, "a"), instant.Draw(t, "b")
		keyA, errA := keys.TimeKey(a, by)
		keyB, errB := keys.TimeKey(b, by)
		if errA != nil || errB != nil || a.Before(b) && keyA > keyB || b.Before(a) && keyB > keyA {
			t.Fatalf("%s is %q, %s is %q: %v %v", a, keyA, b, keyB, errA, errB)
		}
		if !a.Before(b) {
			if _, _, err := keys.TimeRange(by, a, b); !errors.Is(err, keys.ErrTimeRange) {
				t.Fatalf("from %s to %s: %v, want %v", a, b, err, keys.ErrTimeRange)
			}
			return
		}
		lo, hi, err := keys.TimeRange(by, a, b)
		if err != nil {
			t.Fatal(err)
		}
		at := instant.Draw(t, "at")
		key, _ := keys.TimeKey(at, by)
		start, end, err := keys.ParseTimeKey(key, by)
		if err != nil || at.Before(start) || !at.Before(end) {
			t.Fatalf("%q is %s to %s, %v; want it to include %s", key, start, end, err, at)
		}
		overlaps := start.Before(b) && end.After(a)
		for _, sk := range []string{key, key + "#some id"} {
			if found := lo <= sk && sk <= hi; found != overlaps {
				t.Fatalf("%q is between %q and %q: %v; want %v", sk, lo, hi, found, overlaps)
			}
		}
	})
}

func TestTimeRange_IncludesTheLastDayOfTheMonth(t *testing.T) {
	t.Parallel()
	first := time.Date(2024, 12, 1, 0, 0, 0, 0, time.UTC)
	lo, hi, err := keys.TimeRange(keys.ByInstant, first, first.AddDate(0, 1, 0))
	if last := "2024-12-31T23:59:59.999Z#x"; err != nil || last < lo || last > hi ||
		hi >= "2025-01-01T00:00:00.000Z" || lo > "2024-12-01T00:00:00.000Z" {
		t.Errorf("December is %q to %q, %v", lo, hi, err)
	}
	if _, _, err := keys.TimeRange(keys.ByDay, first, first.AddDate(9000, 0, 0)); !errors.Is(err,
		keys.ErrTimeKey) {
		t.Errorf("to the year 11024: %v, want %v", err, keys.ErrTimeKey)
	}
	if _, _, err := keys.TimeRange(keys.ByDay, first.AddDate(-9000, 0, 0), first); !errors.Is(err,
		keys.ErrTimeKey) {
		t.Errorf("from before the year 1: %v, want %v", err, keys.ErrTimeKey)
	}
}

func TestComposite_RefusesAmbiguousParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		parts []string
		want  string
		err   error
	}{
		{[]string{"SENSOR", "123", "2024-12-01-14"}, "SENSOR#123#2024-12-01-14", nil},
		{[]string{"USER"}, "USER", nil},
		{[]string{"USER", "", "123"}, "USER##123", nil},
		{nil, "", keys.ErrNoParts},
		{[]string{"USER", "1#2"}, "", keys.ErrSeparator},
	} {
		got, err := keys.Composite(c.parts...)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q: %q, %v; want %q, %v", c.parts, got, err, c.want, c.err)
		}
		if c.err == nil && !slices.Equal(keys.ParseComposite(got), c.parts) {
			t.Errorf("%q is parsed as %q, want %q", got, keys.ParseComposite(got), c.parts)
		}
	}
}

func TestComposite_EscapedPartsRoundTripAndKeepOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := hostile(0).Draw(t, "a"), hostile(0).Draw(t, "b")
		keyA, errA := keys.Composite("X", keys.Escape(a), "tail")
		keyB, errB := keys.Composite("X", keys.Escape(b), "tail")
		if errA != nil || errB != nil || strings.Compare(a, b) != strings.Compare(keyA, keyB) {
			t.Fatalf("%q and %q make %q and %q: %v %v", a, b, keyA, keyB, errA, errB)
		}
		if back, err := keys.Unescape(keys.ParseComposite(keyA)[1]); back != a || err != nil {
			t.Fatalf("got %q, %v; want %q", back, err, a)
		}
	})
	if _, err := keys.Unescape("%41"); err == nil {
		t.Error("an unnecessary escape was accepted")
	}
}

func TestEntity_IDMayContainTheSeparator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ entityType, id, key string }{{"USER", "123", "USER#123"},
		{"USER", "123#456", "USER#123#456"}, {"USER", "#", "USER##"}} {
		if key, err := keys.Entity(c.entityType, c.id); key != c.key || err != nil {
			t.Errorf("%s of %s: %q, %v; want %q", c.entityType, c.id, key, err, c.key)
		}
		if entityType, id, err := keys.ParseEntity(c.key); entityType != c.entityType || id != c.id || err != nil {
			t.Errorf("%q is %q %q, %v; want %q %q", c.key, entityType, id, err, c.entityType, c.id)
		}
	}
	for _, c := range []struct {
		entityType, id string
		err            error
	}{{"", "1", keys.ErrNoEntity}, {"USER", "", keys.ErrNoEntity}, {"A#B", "1", keys.ErrSeparator},
		{"#B", "1", keys.ErrSeparator}} {
		if key, err := keys.Entity(c.entityType, c.id); !errors.Is(err, c.err) {
			t.Errorf("%q of %q: %q, %v; want %v", c.entityType, c.id, key, err, c.err)
		}
	}
	for _, key := range []string{"", "USER", "USER#", "#1"} {
		if _, _, err := keys.ParseEntity(key); !errors.Is(err, keys.ErrNoEntity) {
			t.Errorf("%q: %v, want %v", key, err, keys.ErrNoEntity)
		}
	}
}

func TestHierarchyPrefix_MatchesExactlyTheNodesBelow(t *testing.T) {
	t.Parallel()
	prefix, err := keys.HierarchyPrefix("EUROPE", "DE")
	if err != nil || prefix != "EUROPE#DE#" {
		t.Fatalf("got %q, %v", prefix, err)
	}
	for _, c := range []struct {
		levels []string
		below  bool
	}{{[]string{"EUROPE", "DE", "BERLIN"}, true}, {[]string{"EUROPE", "DE"}, false},
		{[]string{"EUROPE", "DEN", "X"}, false}} {
		key, err := keys.Hierarchy(c.levels...)
		if err != nil || strings.HasPrefix(key, prefix) != c.below {
			t.Errorf("%q, %v: below %q: %v", key, err, prefix, !c.below)
		}
	}
	for _, levels := range [][]string{nil, {"EUROPE", ""}, {""}} {
		if _, err := keys.HierarchyPrefix(levels...); !errors.Is(err, keys.ErrNoParts) {
			t.Errorf("%q: %v, want %v", levels, err, keys.ErrNoParts)
		}
	}
}

func TestEdge_ReverseSwapsThePartitions(t *testing.T) {
	t.Parallel()
	edge, err := keys.Edge("USER#1", "GROUP#9")
	if want := (keys.Key{PK: "USER#1", SK: "GROUP#9"}); err != nil || edge != want ||
		edge.Reverse().Reverse() != edge {
		t.Errorf("got %v, %v; want %v", edge, err, want)
	}
	if want := (keys.Key{PK: "GROUP#9", SK: "USER#1"}); edge.Reverse() != want {
		t.Errorf("reversed: %v, want %v", edge.Reverse(), want)
	}
	for _, c := range []struct {
		from, to string
		err      error
	}{{"", "x", keys.ErrKeyEmpty}, {"x", "", keys.ErrKeyEmpty},
		{"x", strings.Repeat("y", 1025), keys.ErrKeyLong}, {"\xff", "y", keys.ErrKeyText}} {
		if _, err := keys.Edge(c.from, c.to); !errors.Is(err, c.err) {
			t.Errorf("from %.9q to %.9q: %v, want %v", c.from, c.to, err, c.err)
		}
	}
}

// Stored keys contain the shard of an item, so the shard must never change.
func TestDistributed_GivesAnItemAlwaysTheSameShard(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{"": "ITEM#SHARD_7", "a": "ITEM#SHARD_6",
		"order-17": "ITEM#SHARD_8"} {
		if got, err := keys.Distributed("ITEM", 10, item); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", item, got, err, want)
		}
	}
	for _, n := range []int{0, -1} {
		_, one := keys.Distributed("ITEM", n, "a")
		_, all := keys.Shards("ITEM", n)
		if !errors.Is(one, keys.ErrShards) || !errors.Is(all, keys.ErrShards) {
			t.Errorf("%d shards: %v, %v; want %v", n, one, all, keys.ErrShards)
		}
	}
}

func TestDistributed_UsesEveryShard(t *testing.T) {
	t.Parallel()
	all, err := keys.Shards("ITEM", 8)
	if err != nil || len(all) != 8 || all[0] != "ITEM#SHARD_0" || all[7] != "ITEM#SHARD_7" {
		t.Fatalf("got %q, %v", all, err)
	}
	used := map[string]int{}
	for i := range 8000 {
		key, _ := keys.Distributed("ITEM", 8, string(rune('A'+i)))
		used[key]++
	}
	for _, key := range all {
		if used[key] < 800 || used[key] > 1200 {
			t.Errorf("%s has %d of 8000 items, want about 1000", key, used[key])
		}
	}
}

func TestParseShard_KeyWithoutAShardIsNotOK(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{
		"ITEM#SHARD_7": 7, "ITEM#SHARD_0": 0, "A#SHARD_1#SHARD_12": 12,
		"ITEM": -1, "": -1, "ITEM#SHARD_": -1, "ITEM#SHARD_x": -1, "ITEM#SHARD_-1": -1, "ITEM#SHARD_07": -1, "ITEM#SHARD_7#x": -1,
	} {
		base, shard, ok := keys.ParseShard(key)
		if ok != (want >= 0) || ok && shard != want || !ok && base != key {
			t.Errorf("%q: %q %d %v, want %d", key, base, shard, ok, want)
		}
	}
}

func TestSparse_LeavesOutEmptyValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		belongs bool
		value   string
		ok      bool
	}{{true, "x", true}, {false, "x", false}, {true, "", false}} {
		if value, ok := keys.Sparse(c.belongs, c.value); ok != c.ok || ok && value != c.value {
			t.Errorf("%v %q: %q %v", c.belongs, c.value, value, ok)
		}
	}
}

func TestTTL_IsRoundedDown(t *testing.T) {
	t.Parallel()
	for at, want := range map[time.Time]int64{december: 1733153445, time.Unix(0, -1): -1, time.Unix(5, 0): 5} {
		if got := keys.TTL(at); got != want {
			t.Errorf("%s: %d, want %d", at, got, want)
		}
	}
}

func TestNextVersion_StartsAtOne(t *testing.T) {
	t.Parallel()
	if a, b := keys.NextVersion(0), keys.NextVersion(41); a != 1 || b != 42 {
		t.Errorf("got %d and %d, want 1 and 42", a, b)
	}
}

func TestTimeKey_AcceptsTheFirstAndTheLastTime(t *testing.T) {
	for at, want := range map[model.Time]string{
		model.MinTime: "0001-01-01-00", model.MaxTime: "9999-12-31-23", model.MinTime - 1: "",
		model.MaxTime + 1: "",
	} {
		got, err := keys.TimeKey(at.Time(), keys.ByHour)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%d: key %q, %v; want %q", at, got, err, want)
		}
	}
	if start, _, err := keys.ParseTimeKey("0001", keys.ByYear); err != nil || start.Year() != 1 {
		t.Errorf("the first year: %v, %v", start, err)
	}
}

func TestShards_OneIsEnoughAndNoneIsAnError(t *testing.T) {
	if all, err := keys.Shards("A", 1); err != nil || len(all) != 1 {
		t.Errorf("one shard: %q, %v", all, err)
	}
	if key, err := keys.Distributed("A", 1, "x"); err != nil || key != "A#SHARD_0" {
		t.Errorf("one shard: %q, %v", key, err)
	}
	if _, err := keys.Shards("A", 0); !errors.Is(err, keys.ErrShards) {
		t.Errorf("no shard: %v", err)
	}
	if _, err := keys.Distributed("A", 0, "x"); !errors.Is(err, keys.ErrShards) {
		t.Errorf("no shard: %v", err)
	}
}

func TestComposite_RefusesASeparatorAtTheStartOfAPart(t *testing.T) {
	if key, err := keys.Composite("a", "#b"); !errors.Is(err, keys.ErrSeparator) {
		t.Errorf("key %q, %v; want ErrSeparator", key, err)
	}
}
