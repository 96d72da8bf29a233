package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A caller that watches a purge sees each step once, and the counts grow while items are removed.
func TestPurge_ReportsEachStepAndEachPage(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 1000)...)
	var steps []storage.PurgeStep
	var counts []int64
	w.purger.OnProgress = func(p storage.Purge) {
		if len(steps) == 0 || steps[len(steps)-1] != p.Step {
			steps = append(steps, p.Step)
		}
		var n int64
		for _, c := range p.Counts {
			n += c.Items
		}
		counts = append(counts, n)
	}
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []storage.PurgeStep{storage.PurgeSubjectLocked, storage.PurgeLatestLocked, storage.PurgeErased,
		storage.PurgeDone}; !slices.Equal(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
	pages := slices.Compact(slices.Clone(counts))
	if !slices.IsSorted(counts) || len(pages) < 5 || counts[len(counts)-1] != 1000 {
		t.Errorf("counts %v, want several that grow to 1,000", counts)
	}
}

// The latest items of a subject fill the pages of a partition: each of them is locked, not only the
// first.
func TestPurge_LocksEveryLatestItemOfAPartition(t *testing.T) {
	w := newFixture(t, employee)
	var latest []keys.Key
	for i := range 5 {
		c := model.Latest{Series: model.Series{Subject: alice, Kind: "READING", Stream: fmt.Sprint(i)},
			Ordered: true, Order: model.Order{At: noon}}
		latest = append(latest, keys.Latest(c.Series))
		w.store(item.FromLatest(&c))
	}
	if _, err := w.purger.Request(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.advance(time.Hour)
		if _, err := w.purger.Advance(t.Context(), alice); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range latest {
		it, err := w.table.GetItem(t.Context(), k)
		if v, locked := it[tablekeys.AttrPurgeLock]; err != nil || !locked || !v.Bool {
			t.Errorf("the latest item %v is not locked (%v)", k, err)
		}
	}
}

// slowEraser removes only the first items of each request, as a throttled table does.
type slowEraser struct {
	*storetest.FaultyStore
	each     int
	busy     bool // each other request removes none
	requests int
}

func (s *slowEraser) Erase(ctx context.Context, these []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	s.requests++
	n := min(s.each, len(these))
	if n == 0 || s.busy && s.requests%2 == 1 {
		return these, storage.Written, nil
	}
	left, result, err := s.FaultyStore.Erase(ctx, these[:n])
	return append(left, these[n:]...), result, err
}

func (w *fixture) purgeSlowly(each int) (s *slowEraser, took time.Duration, err error) {
	s = &slowEraser{FaultyStore: w.faulty, each: each}
	w.purger.Store = s
	began := w.now()
	_, err = w.purge(context.Background())
	return s, w.now().Sub(began), err
}

// A table that removes 3 of 25 items with each request is asked until it has removed all, however
// often that is. The rate limits what was removed, not what was asked for.
func TestPurge_FinishesWhereEachRequestRemovesAFewItems(t *testing.T) {
	w := newFixture(t, employee)
	for i := range 100 {
		w.store(newEvent(alice, i))
	}
	w.purger.RetryPolicy.Attempts, w.purger.Rate = 1, 10
	s, took, err := w.purgeSlowly(3)
	if left := len(w.items()); err != nil || left != 1 {
		t.Errorf("%d items left, %v; want only the purge lock", left, err)
	}
	waits := 2*w.purger.Timing.Append + w.purger.Timing.Aggregate
	if took -= waits; s.requests < 34 || took < 9*time.Second || took > 11*time.Second {
		t.Errorf("%d requests in %s; want 34 or more in about 10 s", s.requests, took)
	}
}

// Only requests one after the other that remove nothing count as attempts.
func TestPurge_FinishesWhereEachOtherRequestRemovesNothing(t *testing.T) {
	w := newFixture(t, employee)
	for i := range 20 {
		w.store(newEvent(alice, i))
	}
	w.purger.RetryPolicy.Attempts = 2
	w.purger.Store = &slowEraser{FaultyStore: w.faulty, each: 3, busy: true}
	if _, err := w.purge(t.Context()); err != nil || len(w.items()) != 1 {
		t.Errorf("%d items left, %v; want only the purge lock", len(w.items()), err)
	}
}

// A table that removes nothing is not asked for ever.
func TestPurge_IsUndecidedWhereNothingIsRemoved(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newEvent(alice, 1))
	w.purger.RetryPolicy.Attempts = 4
	if s, _, err := w.purgeSlowly(0); !errors.Is(err, retry.ErrUndecided) || s.requests != 4 {
		t.Errorf("%v after %d requests, want %v after 4", err, s.requests, retry.ErrUndecided)
	}
}

// A partition without items costs a purge one read, not one for each class of items.
func TestPurge_ReadsAnEmptyPartitionOnce(t *testing.T) {
	w := newFixture(t, employee)
	lists := 0
	w.faulty.Reads = func(c storetest.Call) bool {
		if c.Method == "List" {
			lists++
		}
		return false
	}
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	partitions := len(tablekeys.SubjectPartitions(alice, 3))
	// Latest items are locked once; each of two passes also reads the list of series, the quarantine and the
	// queue.
	if want := partitions + 2*(partitions+2+storage.FirstGeneration.Shards); lists != want {
		t.Errorf("%d reads of %d partitions, want %d", lists, partitions, want)
	}
}

// releases counts the transactions that delete one item, by its key.
type releases struct {
	*storetest.FaultyStore
	of map[keys.Key]int
}

func (r *releases) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	if len(tx.Actions) == 1 && tx.Actions[0].Delete {
		r.of[tx.Actions[0].Key]++
	}
	return r.FaultyStore.Commit(ctx, tx)
}

// Each version of a profile names the profile's unique values; each is released once.
func TestPurge_ReleasesEachUniqueValueOnce(t *testing.T) {
	w := newFixture(t, employee)
	w.noError(w.Create(t.Context(), alice, aliceFields))
	for _, team := range []string{"a", "b", "c"} {
		w.noError(w.Update(t.Context(), alice, fields("team", team), 0))
	}
	r := &releases{w.faulty, map[keys.Key]int{}}
	w.purger.Store = r
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	for key, n := range r.of {
		if n != 1 {
			t.Errorf("%v was released %d times, want once", key, n)
		}
	}
	if len(r.of) != len(employee.Unique) {
		t.Errorf("%d unique values were released, want %d", len(r.of), len(employee.Unique))
	}
}
