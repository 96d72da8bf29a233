package ingest_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// This test appends to one series from 100 goroutines in random order. Three requests in ten
// fail. Ten observations are sent twice, and ten have a rival with the same identity and
// other fields.
func TestAppend_ConcurrentAppendsEqualSomeSerialOrder(t *testing.T) {
	t.Parallel()
	for seed := range 10 {
		t.Run("seed "+strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			kind, table := newKind(t, keeping), memory.New(clock)
			observations := manyObservations(rand.New(rand.NewPCG(uint64(seed), 1)))
			results := appendConcurrently(t, table, observations, seed)

			stored := readEvents(t, table, series(kind))
			wantEachIdentityOnce(t, observations, stored)
			wantOneWinnerEach(t, results, stored)
			wantLatestOfApplied(t, readLatest(t, table, series(kind)), results, stored)
		})
	}
}

// manyObservations returns 100 observations of 80 identities. Each has its own field and
// one that all share, so that the latest item shows which were applied, in which order.
func manyObservations(r *rand.Rand) []ingest.TypedObservation {
	var observations []ingest.TypedObservation
	for i := range 80 {
		d := observation(minute(i/2), strconv.Itoa(i%2), num("n"+strconv.Itoa(i%40), int64(i)),
			num("last", int64(i)))
		observations = append(observations, d)
		if i < 10 {
			observations = append(observations, d)
		} else if i < 20 {
			d.Attrs = model.Attrs{num("rival", int64(i))}
			observations = append(observations, d)
		}
	}
	r.Shuffle(len(observations), func(i, j int) {
		observations[i], observations[j] = observations[j], observations[i]
	})
	return observations
}

func appendConcurrently(t *testing.T, table *memory.Table, observations []ingest.TypedObservation,
	seed int) []model.AppendResult {
	t.Helper()
	kind, lots := newKind(t, keeping), rand.New(rand.NewPCG(uint64(seed), 2))
	store := &faulty{Table: table, hit: func(int) (fault, bool) { // called under the store's lock
		return faults[lots.IntN(4)], lots.IntN(10) < 3
	}}
	s := serviceOn(store, seed)
	s.RetryPolicy.Attempts = 60
	results := make([]model.AppendResult, len(observations))
	var done sync.WaitGroup
	for i, d := range observations {
		done.Go(func() {
			out, err := s.AppendEvents(t.Context(), kind, []ingest.TypedObservation{d})
			if err != nil {
				t.Errorf("append %d: %v", i, err)
			}
			results[i] = out[0]
		})
	}
	done.Wait()
	return results
}

func wantEachIdentityOnce(t *testing.T, observations []ingest.TypedObservation, stored []model.Event) {
	t.Helper()
	want := map[model.Order]bool{}
	for _, d := range observations {
		want[model.Order{At: d.At, ID: d.ID}] = true
	}
	got := map[model.Order]bool{}
	for _, e := range stored {
		got[e.Order] = true
	}
	if len(stored) != len(got) || !cmp.Equal(got, want) {
		t.Errorf("got %d events of %d identities, want each of %d once", len(stored), len(got), len(want))
	}
}

// wantOneWinnerEach checks that one observation of each identity was stored, as applied or
// late, and that the others are duplicates or collisions.
func wantOneWinnerEach(t *testing.T, results []model.AppendResult, stored []model.Event) {
	t.Helper()
	byOrder := map[model.Order][]model.Outcome{}
	for _, o := range results {
		byOrder[o.Key.Order] = append(byOrder[o.Key.Order], o.Outcome)
	}
	for i, e := range stored {
		winners := 0
		for _, v := range byOrder[e.Order] {
			if v == model.Applied || v == model.Late {
				winners++
			}
		}
		others := map[bool]model.Outcome{true: model.Duplicate, false: model.Collision}[i < 10]
		if len(byOrder[e.Order]) > 1 && !slices.Contains(byOrder[e.Order], others) || winners != 1 {
			t.Errorf("identity %d: results %v, want one applied or late, and %s for the others", i, byOrder[e.Order],
				others)
		}
	}
}

// wantLatestOfApplied checks that the latest item has the newest event, with the fields
// of the applied events in their order. That is the serial order that explains all outcomes:
// each late event comes after a newer applied one.
func wantLatestOfApplied(t *testing.T, c *model.Latest, results []model.AppendResult, stored []model.Event) {
	t.Helper()
	applied := map[model.Order]bool{}
	for _, o := range results {
		if o.Outcome == model.Applied {
			applied[o.Key.Order] = true
		}
	}
	newest := stored[len(stored)-1]
	var fields model.Attrs
	for _, e := range stored {
		if applied[e.Order] {
			fields = fields.Union(e.Attrs)
		}
	}
	if c.Order != newest.Order || c.Hash != newest.Hash || !applied[newest.Order] {
		t.Errorf("latest item at %v, want the newest event, %v, and that applied", c.Order, newest.Order)
	}
	if !slices.Equal(c.Attrs, fields) {
		t.Errorf("latest item has fields %v, want the fields of the applied events: %v", c.Attrs, fields)
	}
}
