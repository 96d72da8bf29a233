package storetest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var (
	series = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}
	event  = model.Event{Series: series, Order: model.Order{At: clock()}}
)

// writes are all ways to write, each to be stored when it is carried out.
var writes = map[string]func(context.Context, storetest.Store) (model.Answer, error){
	"Append": func(ctx context.Context, s storetest.Store) (model.Answer, error) {
		reply, err := s.Append(ctx, ingest.Transaction{Puts: []model.Event{event}})
		return reply.Answer, err
	},
	"Put": func(ctx context.Context, s storetest.Store) (model.Answer, error) {
		reply, err := s.Put(ctx, event)
		return reply.Answer, err
	},
	"PutRow": func(ctx context.Context, s storetest.Store) (model.Answer, error) {
		return s.PutRow(ctx, &rollup.Row{
			Key:  rollup.Key{Series: series, Tier: tier.Hour.String(), Start: tier.Hour.BucketOf(clock()).Start},
			Fold: *rollup.NewFold(&rollup.Spec{}), Rev: rollup.Rev{1}, V: item.Version,
		}, rollup.Rev{})
	},
	"Commit": func(ctx context.Context, s storetest.Store) (model.Answer, error) {
		gate := item.FromGate(&model.Gate{Subject: series.Subject, PurgeID: "1"})
		reply, err := s.Commit(ctx, lifecycle.Transaction{Actions: []lifecycle.Action{{Key: gate.Key(), Put: gate}}})
		return reply.Answer, err
	},
	"Quarantine": func(ctx context.Context, s storetest.Store) (model.Answer, error) {
		return s.Quarantine(ctx, model.Quarantined{ID: "1", Door: "iot"})
	},
}

func TestFaulty_EachFaultStoresAndAnswersAsItSays(t *testing.T) {
	for _, c := range []struct {
		fault         storetest.Fault
		answer        model.Answer
		stored, later int
	}{
		{storetest.Fine, model.Written, 1, 1},
		{storetest.Throttle, model.Throttled, 0, 0},
		{storetest.Conflict, model.Conflicting, 0, 0},
		{storetest.Lose, model.Uncertain, 0, 0},
		{storetest.LoseAnswer, model.Uncertain, 1, 1},
		{storetest.LandLate, model.Uncertain, 0, 1},
	} {
		for method, write := range writes {
			t.Run(c.fault.String()+"/"+method, func(t *testing.T) {
				table := memory.New(clock)
				faulty := &storetest.Faulty{Store: table, Writes: storetest.Once(0, c.fault)}
				ctx, cancel := context.WithCancel(t.Context())
				answer, err := write(ctx, faulty)
				cancel() // the sender has gone before a late write lands
				if err != nil || answer != c.answer {
					t.Errorf("answer %v, %v; want %v", answer, err, c.answer)
				}
				if got := len(table.Records(0)); got != c.stored {
					t.Errorf("%d items stored, want %d", got, c.stored)
				}
				faulty.Land()
				if got := len(table.Records(0)); got != c.later {
					t.Errorf("%d items stored after late writes have landed, want %d", got, c.later)
				}
			})
		}
	}
}

// A batch of removals is no transaction: a throttle leaves a part of it, and names that.
func TestFaulty_ThrottledEraseLeavesAPartAndSaysWhich(t *testing.T) {
	table := memory.New(clock)
	faulty := &storetest.Faulty{Store: table, Writes: storetest.Once(0, storetest.Throttle)}
	these := []keys.Key{{PK: "p", SK: "1"}, {PK: "p", SK: "2"}, {PK: "p", SK: "3"}}
	for _, k := range these {
		if err := table.PutItem(t.Context(), item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}}); err != nil {
			t.Fatal(err)
		}
	}
	left, answer, err := faulty.Erase(t.Context(), these)
	if err != nil || answer != model.Written || len(left) != 2 {
		t.Fatalf("%d left, %v, %v; want 2 of 3", len(left), answer, err)
	}
	if left, answer, err = faulty.Erase(t.Context(), left); err != nil || answer != model.Written || len(left) != 0 {
		t.Errorf("the rest: %d left, %v, %v", len(left), answer, err)
	}
}

func TestFaulty_LateWriteLandsOnItsConditionAsTheTableStandsThen(t *testing.T) {
	table := memory.New(clock)
	faulty := &storetest.Faulty{Store: table, Writes: storetest.Once(0, storetest.LandLate)}
	for _, want := range []model.Answer{model.Uncertain, model.Written} {
		if answer, err := writes["PutRow"](t.Context(), faulty); answer != want || err != nil {
			t.Fatalf("answer %v, %v; want %v", answer, err, want)
		}
	}
	if landed := faulty.Land(); landed != 1 {
		t.Errorf("%d writes landed, want 1", landed)
	}
	if got := len(table.Records(0)); got != 1 {
		t.Errorf("%d changes, want 1: the late write has lost its condition", got)
	}
}

func TestFaulty_OnceHitsOneWriteAndNumbersAllOfThem(t *testing.T) {
	var seen []storetest.Call
	once := storetest.Once(1, storetest.Throttle)
	faulty := &storetest.Faulty{Store: memory.New(clock), Writes: func(c storetest.Call) storetest.Fault {
		seen = append(seen, c)
		return once(c)
	}}
	for i, want := range []model.Answer{model.Written, model.Throttled, model.Refused} {
		if answer, err := writes["Append"](t.Context(), faulty); answer != want || err != nil {
			t.Errorf("write %d: answer %v, %v; want %v", i, answer, err, want)
		}
	}
	if len(seen) != 3 || seen[2] != (storetest.Call{Method: "Append", N: 2}) || faulty.Attempted() != 3 {
		t.Errorf("the policy saw %v, attempted are %d", seen, faulty.Attempted())
	}
}

func TestFaulty_ReadsFailOnlyWhereThePolicySaysSo(t *testing.T) {
	for _, method := range []string{"Current", "Row", "Events", "Rows", "List", "GetItem"} {
		faulty := &storetest.Faulty{Store: memory.New(clock), Reads: func(c storetest.Call) bool { return c.Method == method }}
		got := map[string]error{}
		_, got["Current"] = faulty.Current(t.Context(), series, true)
		_, got["Row"] = faulty.Row(t.Context(), rollup.Key{Series: series, Tier: "hour"})
		_, got["Events"] = faulty.Events(t.Context(), model.Range{Series: series})
		_, got["Rows"] = faulty.Rows(t.Context(), tier.Hour, model.Range{Series: series})
		_, got["List"] = faulty.List(t.Context(), lifecycle.Listing{Partition: "p"})
		_, got["GetItem"] = faulty.GetItem(t.Context(), keys.Gate(series.Subject))
		for name, err := range got {
			if failed := errors.Is(err, storetest.ErrRead); failed != (name == method) {
				t.Errorf("policy fails %s: %s answers %v", method, name, err)
			}
		}
	}
}

func TestSometimes_IsTheSameForOneSeedAndKnowsEveryWay(t *testing.T) {
	draw := func() (faults []storetest.Fault) {
		policy := storetest.Sometimes(rand.New(rand.NewPCG(1, 2)), 0.5)
		for n := range 200 {
			faults = append(faults, policy(storetest.Call{N: n}))
		}
		return faults
	}
	first, again := draw(), draw()
	seen := map[storetest.Fault]int{}
	for i := range first {
		if first[i] != again[i] {
			t.Fatalf("draw %d is %v, then %v", i, first[i], again[i])
		}
		seen[first[i]]++
	}
	for _, f := range append(storetest.Faults(), storetest.Fine) {
		if seen[f] == 0 {
			t.Errorf("%v never came in %d draws", f, len(first))
		}
	}
}
