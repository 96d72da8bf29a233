package lifecycle_test

import (
	"context"
	crand "crypto/rand"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestPurge_ContinuesAfterACrashAtAnyWrite(t *testing.T) {
	for _, n := range []int{0, 1, 25, 26, 100, 101} {
		for _, stored := range []bool{false, true} {
			for at := 0; ; at++ {
				w := newFixture(t, employee)
				w.store(newItems(alice, n)...)
				w.store(profileItems()...)
				w.store(otherItems()...)
				ctx, cancel := w.crashAt(at, stored)
				_, err := w.purge(ctx)
				crashed := ctx.Err() != nil
				cancel()
				w.faulty.Writes = nil
				if !crashed && err != nil {
					t.Fatal(err)
				}
				receipt, err := w.purge(context.Background())
				if err != nil {
					t.Fatalf("%d items, crash at write %d: %v", n, at, err)
				}
				wantPurged(t, w.items(), w.now())
				if got := removed(receipt); got > int64(n+2) {
					t.Errorf("the receipt counts %d, want %d at most", got, n+2)
				}
				if t.Failed() {
					t.Fatalf("%d items, crash at write %d, stored %v; receipt %+v", n, at, stored, receipt)
				}
				if !crashed {
					if at < 10 {
						t.Fatalf("the purge of %d items took only %d writes", n, at)
					}
					break
				}
			}
		}
	}
}

func TestPurge_FinishesWithACrashAtEveryFourthWrite(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 10_000)...)
	w.store(profileItems()...)
	w.store(otherItems()...)
	if _, err := w.purger.Request(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	crashes := 0
	for {
		ctx, cancel := w.crashAt(3, crashes%2 == 0) // three writes succeed, the fourth crashes
		_, err := w.purger.Run(ctx, alice)
		crashed := ctx.Err() != nil
		cancel()
		if !crashed {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		crashes++
		if crashes > 5000 {
			t.Fatal("the purge makes no progress")
		}
	}
	w.faulty.Writes = nil
	wantPurged(t, w.items(), w.now())
	if crashes < 100 {
		t.Errorf("only %d crashes, want at least 100", crashes)
	}
}

func TestPurge_FinishesUnderThrottlingUnprocessedItemsAndLostResponses(t *testing.T) {
	for seed := range uint64(30) {
		w := newFixture(t, employee)
		w.store(newItems(alice, 300)...)
		w.store(profileItems()...)
		w.store(otherItems()...)
		w.faulty.Writes = storetest.FailRandomly(newRand(seed), .4)
		receipt, err := w.purge(t.Context())
		attempts := 1
		for ; err != nil; attempts++ {
			if attempts > 100 {
				t.Fatal(err)
			}
			receipt, err = w.purge(t.Context())
		}
		w.faulty.CompleteDelayed()
		wantPurged(t, w.items(), w.now())
		if got := removed(receipt); got > 302 || attempts == 1 && got != 302 {
			t.Errorf("seed %d: the receipt counts %d after %d attempts, want at most 302, and exactly 302 after one",
				seed, got, attempts)
		}
	}
}

func TestPurge_TwoConcurrentPurgesSucceed(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 400)...)
	w.store(profileItems()...)
	w.store(otherItems()...)
	done := make(chan error)
	for range 2 {
		go func() {
			_, err := w.purge(context.Background())
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	wantPurged(t, w.items(), w.now())
}

func TestPurge_OnDynamoDB(t *testing.T) {
	client, err := dynamo.NewClient(t.Context(), "", enginetest.Endpoint(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 26, 101} {
		table := dynamo.New(client, "purge-"+crand.Text())
		if err := table.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := newFixture(t, employee)
		w.faulty.Store, w.purger.Rand = table, crand.Reader
		for _, it := range slices.Concat(newItems(alice, n), profileItems(), otherItems()) {
			if err := table.PutItem(t.Context(), it); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.purger.Request(t.Context(), alice, "ops", 0); err != nil {
			t.Fatal(err)
		}
		for crashes := 0; ; crashes++ {
			ctx, cancel := w.crashAt(3, crashes%2 == 0)
			_, err := w.purger.Run(ctx, alice)
			crashed := ctx.Err() != nil
			cancel()
			if !crashed && err != nil || crashes > 100 {
				t.Fatal(crashes, err)
			}
			if !crashed {
				break
			}
		}
		left, _, err := table.Scan(t.Context(), keys.Key{})
		if err != nil {
			t.Fatal(err)
		}
		wantPurged(t, left, w.now())
	}
}
