package lifecycle_test

import (
	"context"
	crand "crypto/rand"
	"slices"
	"testing"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestPurge_InterruptedAtAnyWriteIsTakenUpWhereItWas(t *testing.T) {
	for _, n := range []int{0, 1, 25, 26, 100, 101} {
		for _, stored := range []bool{false, true} {
			for at := 0; ; at++ {
				w := newWorld(t, employee)
				w.store(belongings(alice, n)...)
				w.store(registered()...)
				w.store(neighbours()...)
				ctx, cancel := w.dieAt(at, stored)
				_, err := w.purge(ctx)
				died := ctx.Err() != nil
				cancel()
				w.faulty.Writes = nil
				if !died && err != nil {
					t.Fatal(err)
				}
				receipt, err := w.purge(context.Background())
				if err != nil {
					t.Fatalf("%d items, died at write %d: %v", n, at, err)
				}
				wantPurged(t, w.items(), w.now())
				if got := removed(receipt); got > int64(n+2) {
					t.Errorf("the receipt says %d, want %d at most", got, n+2)
				}
				if t.Failed() {
					t.Fatalf("%d items, died at write %d, stored %v; receipt %+v", n, at, stored, receipt)
				}
				if !died {
					if at < 10 {
						t.Fatalf("the purge of %d items took %d writes only", n, at)
					}
					break
				}
			}
		}
	}
}

func TestPurge_OfTenThousandItemsDyingAtEveryFourthWriteComesToItsEnd(t *testing.T) {
	w := newWorld(t, employee)
	w.store(belongings(alice, 10_000)...)
	w.store(registered()...)
	w.store(neighbours()...)
	if _, err := w.purger.Ask(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	deaths := 0
	for {
		ctx, cancel := w.dieAt(3, deaths%2 == 0) // three writes get through, the next is its last
		_, err := w.purger.Run(ctx, alice)
		died := ctx.Err() != nil
		cancel()
		if !died {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		deaths++
		if deaths > 5000 {
			t.Fatal("it gets nowhere")
		}
	}
	w.faulty.Writes = nil
	wantPurged(t, w.items(), w.now())
	if deaths < 100 {
		t.Errorf("it died %d times only", deaths)
	}
}

func TestPurge_GoesOnThroughThrottlesUnprocessedItemsAndLostAnswers(t *testing.T) {
	for seed := range uint64(30) {
		w := newWorld(t, employee)
		w.store(belongings(alice, 300)...)
		w.store(registered()...)
		w.store(neighbours()...)
		w.faulty.Writes = storetest.Sometimes(newRand(seed), .4)
		receipt, err := w.purge(t.Context())
		tries := 1
		for ; err != nil; tries++ {
			if tries > 100 {
				t.Fatal(err)
			}
			receipt, err = w.purge(t.Context())
		}
		w.faulty.Land()
		wantPurged(t, w.items(), w.now())
		if got := removed(receipt); got > 302 || tries == 1 && got != 302 {
			t.Errorf("seed %d: the receipt says %d after %d tries, want 302 at most, and so many by one", seed, got, tries)
		}
	}
}

func TestPurge_TwoAtOnceDoNoHarm(t *testing.T) {
	w := newWorld(t, employee)
	w.store(belongings(alice, 400)...)
	w.store(registered()...)
	w.store(neighbours()...)
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
	client, err := dynamo.NewClient(t.Context(), "", ddblocal.ForTest(t).Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 26, 101} {
		table := dynamo.New(client, "purge-"+crand.Text())
		if err := table.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, employee)
		w.faulty.Store, w.purger.Rand = table, crand.Reader
		for _, it := range slices.Concat(belongings(alice, n), registered(), neighbours()) {
			if err := table.PutItem(t.Context(), it); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.purger.Ask(t.Context(), alice, "ops", 0); err != nil {
			t.Fatal(err)
		}
		for deaths := 0; ; deaths++ {
			ctx, cancel := w.dieAt(3, deaths%2 == 0)
			_, err := w.purger.Run(ctx, alice)
			died := ctx.Err() != nil
			cancel()
			if !died && err != nil || deaths > 100 {
				t.Fatal(deaths, err)
			}
			if !died {
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
