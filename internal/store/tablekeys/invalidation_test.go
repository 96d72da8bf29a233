package tablekeys_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestInvalidation_ByteOrderIsThatOfDueTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		due := rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime))
		s := anySeries().Draw(t, "series")
		make := func(name string) (model.Time, string) {
			at := model.Time(due.Draw(t, name))
			return at, tablekeys.Invalidation(
				storage.FirstGeneration.Invalidation(at, rollup.Key{Series: s, Tier: "hour"})).SK
		}
		a, skA := make("a")
		b, skB := make("b")
		if a != b && cmp.Compare(a, b) != strings.Compare(skA, skB) {
			t.Fatalf("%q and %q are not in order", skA, skB)
		}
		lo, hi := tablekeys.InvalidationsUpTo(a)
		if in := lo <= skB && skB <= hi; in != (b <= a) {
			t.Fatalf("%q is due up to %s: %v", skB, a, in)
		}
	})
}

// However long a row's key is, its invalidation has a key that the table can store, and
// one that another row does not have.
func TestInvalidation_LongKeysFitAndDiffer(t *testing.T) {
	long := model.Series{Subject: model.Subject{Type: "DEVICE", ID: strings.Repeat("d", 2000)}, Kind: "READING",
		Stream: strings.Repeat("s", 900)}
	seen := map[keys.Key]bool{}
	for shard := range 3 {
		for hour := range 3 {
			s := long
			s.Shard = shard
			k := tablekeys.Invalidation(storage.FirstGeneration.Invalidation(5,
				rollup.Key{Series: s, Tier: "hour", Start: model.Time(hour) * model.Time(time.Hour.Milliseconds())}))
			if err := k.Check(); err != nil || seen[k] {
				t.Errorf("key %v: %v, seen before: %v", k, err, seen[k])
			}
			seen[k] = true
		}
	}
}

func TestQueueShard_DependsOnTheSeriesAloneAndUsesEveryShard(t *testing.T) {
	used := map[storage.QueueShard]int{}
	for i := range 400 {
		s := model.Series{Subject: model.Subject{Type: "DEVICE", ID: strings.Repeat("x", i)}, Kind: "READING"}
		shard := storage.FirstGeneration.Shard(s)
		used[shard]++
		s.Shard = 3
		if got := storage.FirstGeneration.Shard(s); got != shard {
			t.Errorf("shard 3 of the series is in queue shard %v, shard 0 in %v", got, shard)
		}
	}
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if used[shard] < 50 {
			t.Errorf("queue shard %v has %d of 400 series", shard, used[shard])
		}
	}
	if len(used) != storage.FirstGeneration.Shards {
		t.Errorf("%d queue shards are used, want %d", len(used), storage.FirstGeneration.Shards)
	}
}
