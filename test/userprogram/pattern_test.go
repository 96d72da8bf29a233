package userprogram

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/keys"
)

var moment = time.Date(2024, 12, 2, 15, 30, 45, 123e6, time.UTC)

func TestPattern_TimeKeys(t *testing.T) {
	for by, want := range map[keys.Granularity]string{keys.ByHour: "2024-12-02-15", keys.ByDay: "2024-12-02",
		keys.ByMonth: "2024-12", keys.ByYear: "2024"} {
		if got, err := keys.TimeKey(moment, by); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", by, got, err, want)
		}
	}
}

// 'between 2024-12-01 and 2024-12-31' would lose the last day.
func TestPattern_RangesAreHalfOpen(t *testing.T) {
	first := time.Date(2024, 12, 1, 0, 0, 0, 0, time.UTC)
	lo, hi, err := keys.TimeRange(keys.ByDay, first, first.AddDate(0, 1, 0))
	for key, want := range map[string]bool{"2024-11-30": false, "2024-12-01": true, "2024-12-31": true,
		"2024-12-31#x": true, "2025-01-01": false} {
		if in := lo <= key && key <= hi; err != nil || in != want {
			t.Errorf("%s: %t, %v; want %t", key, in, err, want)
		}
	}
}

func TestPattern_CompositeAndEntityKeys(t *testing.T) {
	if _, err := keys.Composite(); err == nil {
		t.Error("no parts: no error")
	}
	if _, err := keys.Composite("USER", "1#2"); err == nil {
		t.Error("a part with the separator: no error")
	}
	if parts := keys.ParseComposite("USER##123"); len(parts) != 3 || parts[1] != "" {
		t.Errorf("got %q, want the empty part", parts)
	}
	kind, id, err := keys.ParseEntity("USER#123#456")
	if err != nil || kind != "USER" || id != "123#456" {
		t.Errorf("got %s %s, %v", kind, id, err)
	}
}

func TestPattern_DistributedKeys(t *testing.T) {
	for _, n := range []int{0, -1} {
		if _, err := keys.Distributed("ITEM", n, "a"); err == nil {
			t.Errorf("%d shards: no error", n)
		}
	}
	one, err := keys.Distributed("ITEM", 8, "a")
	again, _ := keys.Distributed("ITEM", 8, "a")
	if err != nil || one != again {
		t.Errorf("%s and %s, %v: a retry must find its shard", one, again, err)
	}
	if base, n, ok := keys.ParseShard("ITEM#SHARD_7"); base != "ITEM" || n != 7 || !ok {
		t.Errorf("got %s %d %t", base, n, ok)
	}
	if _, _, ok := keys.ParseShard("ITEM"); ok {
		t.Error("no suffix: a shard")
	}
	if all, err := keys.Shards("ITEM", 3); err != nil || len(all) != 3 {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestPattern_TTLSparseAndVersion(t *testing.T) {
	if got := keys.TTL(moment); got != 1733153445 {
		t.Errorf("TTL %d", got)
	}
	if _, ok := keys.Sparse(false, "x"); ok {
		t.Error("a sparse value of an item that does not belong")
	}
	if got := keys.NextVersion(3); got != 4 {
		t.Errorf("version %d", got)
	}
}
