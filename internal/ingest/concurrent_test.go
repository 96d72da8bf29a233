package ingest_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// TestAppend_ManyAtOnceAreSomeSerialOrder appends to one series from 100 goroutines
// in random order, three requests in ten going wrong. Ten observations are sent
// twice, ten have a rival of the same identity.
func TestAppend_ManyAtOnceAreSomeSerialOrder(t *testing.T) {
	t.Parallel()
	for seed := range 10 {
		t.Run("seed "+strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			kind, table := kindOf(t, keeping), memory.New(clock)
			drafts := crowd(rand.New(rand.NewPCG(uint64(seed), 1)))
			outcomes := appendConcurrently(t, table, drafts, seed)

			stored := eventsOf(t, table, series(kind))
			wantEachIdentityOnce(t, drafts, stored)
			wantOneWinnerEach(t, outcomes, stored)
			wantCurrentOfTheApplied(t, currentOf(t, table, series(kind)), outcomes, stored)
		})
	}
}

// crowd is 100 observations of 80 identities. Each has a field of its own and one
// that all share, so that current shows which were applied, and in which order.
func crowd(r *rand.Rand) []ingest.Draft {
	var drafts []ingest.Draft
	for i := range 80 {
		d := draft(minute(i/2), strconv.Itoa(i%2), num("n"+strconv.Itoa(i%40), int64(i)), num("last", int64(i)))
		drafts = append(drafts, d)
		if i < 10 {
			drafts = append(drafts, d)
		} else if i < 20 {
			d.Attrs = model.Attrs{num("rival", int64(i))}
			drafts = append(drafts, d)
		}
	}
	r.Shuffle(len(drafts), func(i, j int) { drafts[i], drafts[j] = drafts[j], drafts[i] })
	return drafts
}

func appendConcurrently(t *testing.T, table *memory.Table, drafts []ingest.Draft, seed int) []model.Outcome {
	t.Helper()
	kind, lots := kindOf(t, keeping), rand.New(rand.NewPCG(uint64(seed), 2))
	store := &faulty{Table: table, hit: func(int) (fault, bool) { // called under the store's lock
		return faults[lots.IntN(4)], lots.IntN(10) < 3
	}}
	s := serviceOn(store, seed)
	s.Patience.Attempts = 60
	outcomes := make([]model.Outcome, len(drafts))
	var done sync.WaitGroup
	for i, d := range drafts {
		done.Go(func() {
			out, err := s.AppendEvents(t.Context(), kind, []ingest.Draft{d})
			if err != nil {
				t.Errorf("append %d: %v", i, err)
			}
			outcomes[i] = out[0]
		})
	}
	done.Wait()
	return outcomes
}

func wantEachIdentityOnce(t *testing.T, drafts []ingest.Draft, stored []model.Event) {
	t.Helper()
	want := map[model.Order]bool{}
	for _, d := range drafts {
		want[model.Order{At: d.At, ID: d.ID}] = true
	}
	got := map[model.Order]bool{}
	for _, e := range stored {
		got[e.Order] = true
	}
	if len(stored) != len(got) || !cmp.Equal(got, want) {
		t.Errorf("history holds %d events of %d identities, want each of %d once", len(stored), len(got), len(want))
	}
}

// wantOneWinnerEach: of each identity one observation was stored, as applied or late;
// the others are told whether theirs is the same.
func wantOneWinnerEach(t *testing.T, outcomes []model.Outcome, stored []model.Event) {
	t.Helper()
	told := map[model.Order][]model.Verdict{}
	for _, o := range outcomes {
		told[o.Key.Order] = append(told[o.Key.Order], o.Verdict)
	}
	for i, e := range stored {
		winners := 0
		for _, v := range told[e.Order] {
			if v == model.Applied || v == model.Late {
				winners++
			}
		}
		others := map[bool]model.Verdict{true: model.Duplicate, false: model.Collision}[i < 10]
		if len(told[e.Order]) > 1 && !slices.Contains(told[e.Order], others) || winners != 1 {
			t.Errorf("identity %d: verdicts %v, want one of applied and late, and %s for the other", i, told[e.Order], others)
		}
	}
}

// wantCurrentOfTheApplied: current is the newest, and its fields are those of the
// applied in their order, which is the serial order that explains all outcomes: the
// late ones fit in behind whichever applied one is newer.
func wantCurrentOfTheApplied(t *testing.T, c *model.Current, outcomes []model.Outcome, stored []model.Event) {
	t.Helper()
	applied := map[model.Order]bool{}
	for _, o := range outcomes {
		if o.Verdict == model.Applied {
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
		t.Errorf("current is %v, want the newest, %v, and that applied", c.Order, newest.Order)
	}
	if !slices.Equal(c.Attrs, fields) {
		t.Errorf("current has fields %v, want those of the applied, one over the other: %v", c.Attrs, fields)
	}
}
