package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// failingProcessor fails every change.
type failingProcessor struct{ processor }

func (failingProcessor) Process(_ context.Context, changes []storage.Change) (r aggregate.Report) {
	for i := range changes {
		r.Failures = append(r.Failures, aggregate.Failure{Change: i, Err: errors.New("no capacity")})
	}
	return r
}

// A batch that fails for longer than a moment is recorded, until it is processed, in any process.
func TestHandler_RecordsABatchThatFailsUntilItIsProcessed(t *testing.T) {
	f := newFixture(t)
	payload := sample(t, "insert")
	batch, err := f.decoder.Decode(payload)
	if err != nil || len(batch.Changes) == 0 {
		t.Fatalf("%v, %d changes", err, len(batch.Changes))
	}
	seq, at := batch.Changes[0].Seq, batch.Changes[0].At
	works := f.processor
	for _, c := range []struct {
		name  string
		after time.Duration // the record's age
		fails bool
		want  bool // recorded
	}{
		{"the first failures are not recorded", 59 * time.Second, true, false},
		{"a failure of a minute is", time.Minute, true, true},
		{"each repetition records it again", 5 * time.Minute, true, true},
		{"it is removed once the batch was processed", 6 * time.Minute, false, false},
		{"a late batch that never failed leaves nothing", time.Hour, false, false},
	} {
		f.blocked = &aggregate.BlockedBatches{Store: f.table, Now: func() model.Time { return at.Add(c.after) }}
		if f.processor = works; c.fails {
			f.processor = failingProcessor{works}
		}
		if failed := f.invoke(t, payload); (len(failed) > 0) != c.fails {
			t.Fatalf("%s: failed %v", c.name, failed)
		}
		state, err := f.table.StreamState(t.Context())
		if err != nil || (len(state.Blocked) > 0) != c.want {
			t.Errorf("%s: %v, %v", c.name, state.Blocked, err)
		}
		if c.want && (state.Blocked[0].Seq != seq || state.Blocked[0].From != at) {
			t.Errorf("%s: recorded %v; want %s from %s", c.name, state.Blocked[0], seq, at)
		}
	}
}
