package aggregate_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var (
	_ aggregate.RowReader  = (*batched)(nil)
	_ storage.EventVisitor = (*batched)(nil)
)

// batched is a table that reads many rows by one request, and passes on events one by one,
// as the one on DynamoDB does.
type batched struct {
	store
	skip     int // each skip-th key is not read; zero means that all are
	err      error
	singly   atomic.Int64 // rows read one by one
	requests atomic.Int64 // for many
	onRead   func()       // called after each batch read
}

func (s *batched) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	s.singly.Add(1)
	return s.store.Row(ctx, key)
}

func (s *batched) ReadRows(ctx context.Context, keys []rollup.Key) (map[rollup.Key]*rollup.Row, error) {
	s.requests.Add(1)
	if s.err != nil {
		return nil, s.err
	}
	if len(keys) > itemop.MaxBatchReads {
		return nil, fmt.Errorf("%d keys, want %d at most", len(keys), itemop.MaxBatchReads)
	}
	rows := map[rollup.Key]*rollup.Row{}
	for i, k := range keys {
		if s.skip > 0 && i%s.skip == 0 {
			continue
		}
		row, err := s.store.Row(ctx, k)
		if err != nil {
			return nil, err
		}
		rows[k] = row
	}
	if s.onRead != nil {
		s.onRead()
	}
	return rows, nil
}

// EachEvent reuses one event, as the contract allows.
func (s *batched) EachEvent(ctx context.Context, r storage.Range, do func(*model.Event)) (string, error) {
	page, err := s.Events(ctx, r)
	var one model.Event
	for i := range page.Events {
		reused := one.Attrs[:0]
		one = page.Events[i]
		one.Attrs = append(reused, one.Attrs...)
		do(&one)
	}
	return page.Next, err
}

// threeHundred stores 300 events, each in another hour.
func threeHundred(w *world) {
	for i := range 300 {
		w.put(model.Order{At: noon.Add(-1) - model.Time(i)*3600_000}, fmt.Sprint(i))
	}
}

func TestPrefetch_ReadsRowsInBatchesWithTheSameResult(t *testing.T) {
	want := newWorld(t)
	threeHundred(want)
	want.process()
	for name, s := range map[string]*batched{
		"all":            {},
		"some unread":    {skip: 3},
		"failing":        {err: errors.New("throttled")},
		"written before": {},
	} {
		w := newWorld(t)
		s.store = w.table
		w.on(s)
		threeHundred(w)
		changes := w.changes()
		if name == "written before" {
			var once sync.Once
			s.onRead = func() { // another invocation processes all changes after the batch read
				once.Do(func() { newWorldSharing(w).processAll(changes) })
			}
		}
		report := w.processAll(changes)
		w.wantImages(want.images())
		w.wantRecount()
		switch name {
		case "all":
			if got, most := s.requests.Load()+s.singly.Load(), int64(3+1+2); got > most {
				t.Errorf("%d requests for the rows of 300 hours, their days and months, want %d at most", got, most)
			}
		case "written before":
			if report.LostLocks == 0 {
				t.Error("no lock was lost, but another invocation wrote the rows after they were read")
			}
		default:
			if s.singly.Load() == 0 {
				t.Errorf("%s: no row was read individually", name)
			}
		}
	}
}
