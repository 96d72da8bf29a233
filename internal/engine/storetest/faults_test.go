package storetest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var (
	series = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}
	event  = model.Event{Series: series, Order: model.Order{At: clock()}}
)

// writes has a write of each method. Each is stored if it is carried out.
var writes = map[string]func(context.Context, storetest.Store) (storage.WriteResult, error){
	"Append": func(ctx context.Context, s storetest.Store) (storage.WriteResult, error) {
		result, err := s.Append(ctx, storage.AppendTransaction{Puts: []model.Event{event}})
		return result.Result, err
	},
	"Put": func(ctx context.Context, s storetest.Store) (storage.WriteResult, error) {
		result, err := s.Put(ctx, event)
		return result.Result, err
	},
	"PutRow": func(ctx context.Context, s storetest.Store) (storage.WriteResult, error) {
		return s.PutRow(ctx, &rollup.Row{
			Key:  rollup.Key{Series: series, Tier: tier.Hour.String(), Start: tier.Hour.BucketAt(clock()).Start},
			Fold: *rollup.NewFold(&rollup.Spec{}), Rev: rollup.Rev{1}, V: item.Version,
		}, rollup.Rev{})
	},
	"Commit": func(ctx context.Context, s storetest.Store) (storage.WriteResult, error) {
		lock := item.FromPurgeLock(&storage.PurgeLock{Subject: series.Subject, PurgeID: "1"})
		result, err := s.Commit(ctx, itemop.Transaction{Actions: []itemop.Action{{Key: lock.Key(), Put: lock}}})
		return result.Result, err
	},
	"Quarantine": func(ctx context.Context, s storetest.Store) (storage.WriteResult, error) {
		return s.Quarantine(ctx, storage.Quarantined{ID: "1", Source: "iot"})
	},
}

func TestFaultyStore_EachFaultHasItsEffect(t *testing.T) {
	for _, c := range []struct {
		fault         storetest.WriteFault
		result        storage.WriteResult
		stored, later int
	}{
		{storetest.NoFault, storage.Written, 1, 1},
		{storetest.Throttle, storage.Throttled, 0, 0},
		{storetest.Conflict, storage.Conflicted, 0, 0},
		{storetest.LoseRequest, storage.Unknown, 0, 0},
		{storetest.LoseResponse, storage.Unknown, 1, 1},
		{storetest.Delay, storage.Unknown, 0, 1},
	} {
		for method, write := range writes {
			t.Run(c.fault.String()+"/"+method, func(t *testing.T) {
				table := memory.New(clock)
				faulty := &storetest.FaultyStore{Store: table, Writes: storetest.FailOnce(0, c.fault)}
				ctx, cancel := context.WithCancel(t.Context())
				result, err := write(ctx, faulty)
				cancel() // the sender gives up before the delayed write
				if err != nil || result != c.result {
					t.Errorf("result %v, %v; want %v", result, err, c.result)
				}
				if got := len(table.Records(0)); got != c.stored {
					t.Errorf("%d items stored, want %d", got, c.stored)
				}
				faulty.CompleteDelayed()
				if got := len(table.Records(0)); got != c.later {
					t.Errorf("%d items stored after delayed writes, want %d", got, c.later)
				}
			})
		}
	}
}

// A batch is not a transaction: a throttled one removes half of the items and returns the others.
func TestFaultyStore_ThrottledEraseReturnsTheRemainingKeys(t *testing.T) {
	table := memory.New(clock)
	faulty := &storetest.FaultyStore{Store: table, Writes: storetest.FailOnce(0, storetest.Throttle)}
	items := []keys.Key{{PK: "p", SK: "1"}, {PK: "p", SK: "2"}, {PK: "p", SK: "3"}}
	for _, k := range items {
		if err := table.PutItem(t.Context(),
			item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}}); err != nil {
			t.Fatal(err)
		}
	}
	left, result, err := faulty.Erase(t.Context(), items)
	if err != nil || result != storage.Written || len(left) != 2 {
		t.Fatalf("%d left, %v, %v; want 2 of 3", len(left), result, err)
	}
	if left, result, err = faulty.Erase(t.Context(), left); err != nil || result != storage.Written ||
		len(left) != 0 {
		t.Errorf("the rest: %d left, %v, %v", len(left), result, err)
	}
}

func TestFaultyStore_DelayedWriteChecksItsConditionWhenCompleted(t *testing.T) {
	table := memory.New(clock)
	faulty := &storetest.FaultyStore{Store: table, Writes: storetest.FailOnce(0, storetest.Delay)}
	for _, want := range []storage.WriteResult{storage.Unknown, storage.Written} {
		if result, err := writes["PutRow"](t.Context(), faulty); result != want || err != nil {
			t.Fatalf("result %v, %v; want %v", result, err, want)
		}
	}
	if completed := faulty.CompleteDelayed(); completed != 1 {
		t.Errorf("%d delayed writes, want 1", completed)
	}
	if got := len(table.Records(0)); got != 1 {
		t.Errorf("%d changes, want 1: the condition of the delayed write must fail", got)
	}
}

func TestFailOnce_FailsOneWriteAndNumbersAll(t *testing.T) {
	var seen []storetest.Call
	once := storetest.FailOnce(1, storetest.Throttle)
	faulty := &storetest.FaultyStore{Store: memory.New(clock),
		Writes: func(c storetest.Call) storetest.WriteFault {
			seen = append(seen, c)
			return once(c)
		}}
	for i, want := range []storage.WriteResult{storage.Written, storage.Throttled, storage.ConditionFailed} {
		if result, err := writes["Append"](t.Context(), faulty); result != want || err != nil {
			t.Errorf("write %d: result %v, %v; want %v", i, result, err, want)
		}
	}
	if len(seen) != 3 || seen[2] != (storetest.Call{Method: "Append", N: 2}) || faulty.WriteCount() != 3 {
		t.Errorf("the policy saw %v, WriteCount is %d", seen, faulty.WriteCount())
	}
}

func TestFaultyStore_ReadsFailOnlyAsThePolicySays(t *testing.T) {
	for _, method := range []string{"Latest", "Row", "Events", "Rows", "List", "GetItem"} {
		faulty := &storetest.FaultyStore{Store: memory.New(clock), Reads: func(c storetest.Call) bool {
			return c.Method == method
		}}
		got := map[string]error{}
		_, got["Latest"] = faulty.Latest(t.Context(), series, true)
		_, got["Row"] = faulty.Row(t.Context(), rollup.Key{Series: series, Tier: "hour"})
		_, got["Events"] = faulty.Events(t.Context(), storage.Range{Series: series})
		_, got["Rows"] = faulty.Rows(t.Context(), tier.Hour, storage.Range{Series: series})
		_, got["List"] = faulty.List(t.Context(), itemop.ListRequest{Partition: "p"})
		_, got["GetItem"] = faulty.GetItem(t.Context(), tablekeys.PurgeLock(series.Subject))
		for name, err := range got {
			if failed := errors.Is(err, storetest.ErrRead); failed != (name == method) {
				t.Errorf("policy fails %s: %s results %v", method, name, err)
			}
		}
	}
}

func TestFailRandomly_IsReproducibleAndUsesEveryFault(t *testing.T) {
	draw := func() (faults []storetest.WriteFault) {
		policy := storetest.FailRandomly(rand.New(rand.NewPCG(1, 2)), 0.5)
		for n := range 200 {
			faults = append(faults, policy(storetest.Call{N: n}))
		}
		return faults
	}
	first, again := draw(), draw()
	seen := map[storetest.WriteFault]int{}
	for i := range first {
		if first[i] != again[i] {
			t.Fatalf("draw %d is %v, then %v", i, first[i], again[i])
		}
		seen[first[i]]++
	}
	for _, f := range append(storetest.WriteFaults(), storetest.NoFault) {
		if seen[f] == 0 {
			t.Errorf("%v never occurred in %d draws", f, len(first))
		}
	}
}
