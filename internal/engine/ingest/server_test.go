package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// This test repeats the comparison over the protocol of DynamoDB, with its conditions, cancellation reasons
// and old items.
func TestAppend_BatchEqualsOneByOneOnTheServer(t *testing.T) {
	t.Parallel()
	client, err := dynamo.NewClient(t.Context(), "", enginetest.Endpoint(t))
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, fmt.Sprintf("ingest-batch-%d", os.Getpid()))
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := serviceOn(table, 1)
	for name, change := range map[string]func(*catalog.Kind){"keep": keeping, "drop": dropping} {
		kind := newKind(t, change)
		for seed := range 15 {
			r := rand.New(rand.NewPCG(uint64(seed), 3))
			subject := fmt.Sprintf("%s_%d", name, seed)
			before := &serial{events: map[model.Order]model.Hash{}, drop: kind.Late == catalog.DropLate}
			sizes := []int{1 + r.IntN(5), 1 + r.IntN(12), 1}
			if seed == 0 {
				sizes = []int{3, 150}
			}
			for call, n := range sizes {
				batch := randomObservations(r, n, 6+n)
				for i := range batch {
					batch[i].Subject = subject
				}
				for i, o := range appendAll(t, s, kind, batch...) {
					e := newEvent(kind, batch[i])
					if want := before.append(e); o.Outcome != want {
						t.Fatalf("seed %d, call %d, observation %d: got %s, want %s", seed, call, i, o.Outcome, want)
					}
				}
			}
			got, err := table.Latest(t.Context(), kind.Series(subject, "", model.Order{}), true)
			if err != nil || got.Order != before.latest.Order || got.Hash != before.latest.Hash {
				t.Fatalf("seed %d: latest item %+v, error %v; want %v", seed, got, err, before.latest.Order)
			}
		}
	}
}
