package simstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

// one simulates a history in which only the given faults occur, and always.
func one(t *testing.T, play func(*simstream.Sim), always ...simstream.Fault) simstream.Result {
	t.Helper()
	rates := simstream.Only()
	for _, f := range always {
		rates[f] = 1
	}
	for seed := range uint64(50) { // some histories disable a fault whatever its rate
		r := simstream.Trial{Setup: play, Rates: rates}.Run(seed)
		struck := func(f simstream.Fault) bool { return r.Counts[f.String()] > 0 }
		if !slices.ContainsFunc(always, func(f simstream.Fault) bool { return !struck(f) }) {
			return r
		}
	}
	t.Fatalf("none of 50 histories had %v", always)
	return simstream.Result{}
}

// records is the part of a batch that the tests read.
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

func parseRecords(payload []byte) records {
	var batch struct{ Records records }
	if err := json.Unmarshal(payload, &batch); err != nil {
		panic(err)
	}
	return batch.Records
}

func TestDelivery_ExpiryHasTheIdentityOfTTLUnlessUnsigned(t *testing.T) {
	for _, unsigned := range []bool{false, true} {
		var seen records
		play := func(s *simstream.Sim) {
			table := simstream.NewTable(s, "id")
			table.Expires = "ttl"
			seen = nil
			s.Deliver(simstream.Delivery{Handler: simstream.Function(
				func(_ context.Context, payload []byte) ([]byte, error) {
					seen = append(seen, parseRecords(payload)...)
					return nil, nil
				})})
			s.Go("a client", s.Dice(), func(ctx context.Context) {
				_ = table.Put(ctx, item.Item{"id": text("a"), "ttl": number(int(s.Now().Add(time.Hour).Seconds()))})
			})
		}
		if unsigned {
			one(t, play, simstream.ExpiresUnsigned)
		} else {
			one(t, play)
		}
		if len(seen) != 2 || seen[0].EventName != "INSERT" || seen[1].EventName != "REMOVE" {
			t.Fatalf("records %+v, want an INSERT and a REMOVE", seen)
		}
		if signed := seen[1].UserIdentity != nil &&
			seen[1].UserIdentity.PrincipalID == "dynamodb.amazonaws.com"; signed == unsigned {
			t.Errorf("unsigned %v: the identity of the removal is %+v", unsigned, seen[1].UserIdentity)
		}
	}
}

func TestDelivery_FailoverRepeatsTheChangesUnderAnotherARN(t *testing.T) {
	ids, arns := map[string]bool{}, map[string]bool{}
	play := func(s *simstream.Sim) {
		table := simstream.NewTable(s, "id")
		clear(ids)
		clear(arns)
		s.Deliver(simstream.Delivery{Handler: simstream.Function(
			func(_ context.Context, payload []byte) ([]byte, error) {
				for _, r := range parseRecords(payload) {
					ids[r.EventID], arns[r.EventSourceARN] = true, true
				}
				return nil, nil
			})})
		for i := range 2 {
			s.After(time.Duration(i)*time.Minute, func() {
				s.Go("a client", s.Dice().Part("put", i), func(ctx context.Context) {
					_ = table.Put(ctx, item.Item{"id": text(fmt.Sprint(i))})
				})
			})
		}
	}
	one(t, play, simstream.Failover)
	if len(arns) != 2 || len(ids) < 3 {
		t.Errorf("%d ARNs and %d records, want two ARNs with the first change in both", len(arns), len(ids))
	}
}

func TestDelivery_PanicFailsTheBatch(t *testing.T) {
	calls := 0
	r := one(t, func(s *simstream.Sim) {
		calls = 0
		table := simstream.NewTable(s, "id")
		s.Deliver(simstream.Delivery{Settings: eventsource.Settings{MaxRetries: 2},
			Handler: simstream.Function(func(context.Context, []byte) ([]byte, error) {
				calls++
				panic("a bug")
			})})
		s.Go("a client", s.Dice(), func(ctx context.Context) { _ = table.Put(ctx, item.Item{"id": text("a")}) })
	})
	if calls != 3 || r.Counts["batches given up: "+eventsource.RetriesExhausted] != 1 {
		t.Errorf("%d calls, counts %v, want three calls and the batch given up", calls, r.Counts)
	}
}

func TestDelivery_RecordsNotReadForADayAreLostAndReported(t *testing.T) {
	lost := 0
	one(t, func(s *simstream.Sim) {
		lost = 0
		table := simstream.NewTable(s, "id")
		s.Deliver(simstream.Delivery{
			Handler: simstream.Function(func(context.Context, []byte) ([]byte, error) { return nil, nil }),
			Lost:    func(r []eventsource.Record) { lost += len(r) },
		})
		s.Go("a client", s.Dice(), func(ctx context.Context) { _ = table.Put(ctx, item.Item{"id": text("a")}) })
		s.Check(func() error {
			if age := s.Now().Sub(simstream.Start); lost > 0 != (age > simstream.Kept) {
				return fmt.Errorf("%d lost after %v", lost, age)
			}
			return nil
		})
	}, simstream.StoppedShard)
}

func TestWrite_DelayedWriteIsCarriedOutAfterTheRequestReturned(t *testing.T) {
	play := func(s *simstream.Sim) {
		table := simstream.NewTable(s, "id")
		s.Go("a client", s.Dice(), func(ctx context.Context) {
			if err := table.Put(ctx, item.Item{"id": text("a")}); !errors.Is(err, simstream.ErrUnknown) {
				s.Fail(fmt.Errorf("put: %v, want %v", err, simstream.ErrUnknown))
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
	if r := one(t, play, simstream.WriteDelayed); r.Failure != nil {
		t.Error(r.Failure)
	}
}

func TestTransact_ConflictOnOneItemStoresNone(t *testing.T) {
	play := func(s *simstream.Sim) {
		table := simstream.NewTable(s, "id")
		store := func(old item.Item) (item.Item, error) { return item.Item{}, nil }
		s.Go("a client", s.Dice(), func(ctx context.Context) {
			err := table.Transact(ctx, simstream.Write{Key: []string{"a"}, Change: store},
				simstream.Write{Key: []string{"b"}, Change: store})
			if !errors.Is(err, simstream.ErrConflict) || len(table.All("a"))+len(table.All("b")) > 0 {
				s.Fail(fmt.Errorf("transact: %v, and %d items, want a conflict and none", err,
					len(table.All("a"))+len(table.All("b"))))
			}
		})
	}
	if r := one(t, play, simstream.TransactionConflict); r.Failure != nil {
		t.Error(r.Failure)
	}
}
