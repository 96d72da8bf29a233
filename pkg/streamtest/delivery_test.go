package streamtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// one plays a history with no fault but those that are always to strike.
func one(t *testing.T, play func(*streamtest.Sim), always ...streamtest.Fault) streamtest.Result {
	t.Helper()
	rates := streamtest.Only()
	for _, f := range always {
		rates[f] = 1
	}
	for seed := range uint64(50) { // a fault is left out of some histories whatever its rate
		r := streamtest.Trial{Play: play, Rates: rates}.Run(seed)
		struck := func(f streamtest.Fault) bool { return r.Counts[f.String()] > 0 }
		if !slices.ContainsFunc(always, func(f streamtest.Fault) bool { return !struck(f) }) {
			return r
		}
	}
	t.Fatalf("none of 50 histories had %v", always)
	return streamtest.Result{}
}

// records is what a handler is told of a batch.
type records []struct {
	EventID        string
	EventName      string
	EventSourceARN string
	UserIdentity   *struct{ Type, PrincipalID string }
	DynamoDB       struct {
		Keys           map[string]map[string]string
		SequenceNumber string
	}
}

func recordsOf(payload []byte) records {
	var batch struct{ Records records }
	if err := json.Unmarshal(payload, &batch); err != nil {
		panic(err)
	}
	return batch.Records
}

func TestDelivery_TTLSignsItsRemovalsOnlyWhereItMadeThem(t *testing.T) {
	for _, unsigned := range []bool{false, true} {
		var seen records
		play := func(s *streamtest.Sim) {
			table := streamtest.NewTable(s, "id")
			table.Expires = "ttl"
			seen = nil
			s.Deliver(streamtest.Delivery{Handler: streamtest.Function(func(_ context.Context, payload []byte) ([]byte, error) {
				seen = append(seen, recordsOf(payload)...)
				return nil, nil
			})})
			s.Go("somebody", s.Dice(), func(ctx context.Context) {
				_ = table.Put(ctx, item.Item{"id": text("a"), "ttl": number(int(s.Now().Add(time.Hour).Seconds()))})
			})
		}
		if unsigned {
			one(t, play, streamtest.ExpiresUnsigned)
		} else {
			one(t, play)
		}
		if len(seen) != 2 || seen[0].EventName != "INSERT" || seen[1].EventName != "REMOVE" {
			t.Fatalf("records %+v, want an INSERT and a REMOVE", seen)
		}
		if signed := seen[1].UserIdentity != nil && seen[1].UserIdentity.PrincipalID == "dynamodb.amazonaws.com"; signed == unsigned {
			t.Errorf("unsigned %v: the removal's identity is %+v", unsigned, seen[1].UserIdentity)
		}
	}
}

func TestDelivery_AFailoverBringsTheSameChangesUnderOtherNames(t *testing.T) {
	ids, arns := map[string]bool{}, map[string]bool{}
	play := func(s *streamtest.Sim) {
		table := streamtest.NewTable(s, "id")
		clear(ids)
		clear(arns)
		s.Deliver(streamtest.Delivery{Handler: streamtest.Function(func(_ context.Context, payload []byte) ([]byte, error) {
			for _, r := range recordsOf(payload) {
				ids[r.EventID], arns[r.EventSourceARN] = true, true
			}
			return nil, nil
		})})
		for i := range 2 {
			s.After(time.Duration(i)*time.Minute, func() {
				s.Go("somebody", s.Dice().Of("put", i), func(ctx context.Context) {
					_ = table.Put(ctx, item.Item{"id": text(fmt.Sprint(i))})
				})
			})
		}
	}
	one(t, play, streamtest.Failover)
	if len(arns) != 2 || len(ids) < 3 {
		t.Errorf("%d ARNs and %d records, want two ARNs and the first change under both", len(arns), len(ids))
	}
}

func TestDelivery_APanicFailsTheBatch(t *testing.T) {
	calls := 0
	r := one(t, func(s *streamtest.Sim) {
		calls = 0
		table := streamtest.NewTable(s, "id")
		s.Deliver(streamtest.Delivery{Settings: streamtest.Settings{MaxRetries: 2}, Handler: streamtest.Function(func(context.Context, []byte) ([]byte, error) {
			calls++
			panic("a bug")
		})})
		s.Go("somebody", s.Dice(), func(ctx context.Context) { _ = table.Put(ctx, item.Item{"id": text("a")}) })
	})
	if calls != 3 || r.Counts["batches given up: "+streamtest.RetriesExhausted] != 1 {
		t.Errorf("%d calls, counts %v, want three calls and the batch given up", calls, r.Counts)
	}
}

func TestDelivery_WhatIsNotReadForADayIsLostAndTold(t *testing.T) {
	lost := 0
	one(t, func(s *streamtest.Sim) {
		lost = 0
		table := streamtest.NewTable(s, "id")
		s.Deliver(streamtest.Delivery{
			Handler: streamtest.Function(func(context.Context, []byte) ([]byte, error) { return nil, nil }),
			Lost:    func(r []streamtest.Record) { lost += len(r) },
		})
		s.Go("somebody", s.Dice(), func(ctx context.Context) { _ = table.Put(ctx, item.Item{"id": text("a")}) })
		s.Check(func() error {
			if age := s.Now().Sub(streamtest.Start); lost > 0 != (age > streamtest.Kept) {
				return fmt.Errorf("%d lost after %v", lost, age)
			}
			return nil
		})
	}, streamtest.StoppedShard)
}

func TestWrite_LandingLateIsCarriedOutWhenItsSenderHasGoneOn(t *testing.T) {
	play := func(s *streamtest.Sim) {
		table := streamtest.NewTable(s, "id")
		s.Go("somebody", s.Dice(), func(ctx context.Context) {
			if err := table.Put(ctx, item.Item{"id": text("a")}); !errors.Is(err, streamtest.ErrUnknown) {
				s.Fail(fmt.Errorf("put: %v, want %v", err, streamtest.ErrUnknown))
			}
			if len(table.All("a")) != 0 {
				s.Fail(errors.New("it was stored at once"))
			}
		})
		s.Check(func() error {
			if len(table.All("a")) != 1 {
				return errors.New("it never landed")
			}
			return nil
		})
	}
	if r := one(t, play, streamtest.LandsLate); r.Failure != nil {
		t.Error(r.Failure)
	}
}

func TestTransact_AConflictOnOneOfItsItemsStoresNone(t *testing.T) {
	play := func(s *streamtest.Sim) {
		table := streamtest.NewTable(s, "id")
		store := func(old item.Item) (item.Item, error) { return item.Item{}, nil }
		s.Go("somebody", s.Dice(), func(ctx context.Context) {
			err := table.Transact(ctx, streamtest.Write{Key: []string{"a"}, Change: store}, streamtest.Write{Key: []string{"b"}, Change: store})
			if !errors.Is(err, streamtest.ErrConflict) || len(table.All("a"))+len(table.All("b")) > 0 {
				s.Fail(fmt.Errorf("transact: %v, and %d items, want a conflict and none", err, len(table.All("a"))+len(table.All("b"))))
			}
		})
	}
	if r := one(t, play, streamtest.TransactionConflict); r.Failure != nil {
		t.Error(r.Failure)
	}
}
