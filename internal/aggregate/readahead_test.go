package aggregate_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// together is a table that reads many rows by one request, and hands out events one by
// one, as the one on DynamoDB does.
type together struct {
	store
	skip     int // every so manieth key is not got to; zero means none
	err      error
	singly   atomic.Int64 // rows read one by one
	requests atomic.Int64 // for many
	onRead   func()       // what happens after rows were read ahead
}

func (s *together) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	s.singly.Add(1)
	return s.store.Row(ctx, key)
}

func (s *together) ReadRows(ctx context.Context, keys []rollup.Key) (map[rollup.Key]*rollup.Row, error) {
	s.requests.Add(1)
	if s.err != nil {
		return nil, s.err
	}
	if len(keys) > aggregate.RowsTogether {
		return nil, fmt.Errorf("%d keys, want %d at most", len(keys), aggregate.RowsTogether)
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

// EachEvent keeps one event for all, as the contract allows.
func (s *together) EachEvent(ctx context.Context, r model.Range, do func(*model.Event)) (string, error) {
	page, err := s.Events(ctx, r)
	var one model.Event
	for i := range page.Events {
		room := one.Attrs[:0]
		one = page.Events[i]
		one.Attrs = append(room, one.Attrs...)
		do(&one)
	}
	return page.Next, err
}

// threeHundred are events of as many hours.
func threeHundred(w *world) {
	for i := range 300 {
		w.put(model.Order{At: noon.Add(-1) - model.Time(i)*3600_000}, fmt.Sprint(i))
	}
}

func TestReadAhead_RowsAreReadTogetherAndComeToTheSame(t *testing.T) {
	want := newWorld(t)
	threeHundred(want)
	want.settle()
	for name, s := range map[string]*together{
		"all":            {},
		"some unread":    {skip: 3},
		"not answered":   {err: errors.New("throttled")},
		"written before": {},
	} {
		w := newWorld(t)
		s.store = w.Table
		w.on(s)
		threeHundred(w)
		changes := w.changes()
		if name == "written before" {
			var once sync.Once
			s.onRead = func() { // another invocation has all of it settled in between
				once.Do(func() { newWorldSharing(w).settleAll(changes) })
			}
		}
		report := w.settleAll(changes)
		w.wantImages(want.images())
		w.wantRecount()
		switch name {
		case "all":
			if got, most := s.requests.Load()+s.singly.Load(), int64(3+1+2); got > most {
				t.Errorf("%d requests for the rows of 300 hours, their days and months, want %d at most", got, most)
			}
		case "written before":
			if report.Lost == 0 {
				t.Error("no write was refused, though another invocation wrote the rows after they were read")
			}
		default:
			if s.singly.Load() == 0 {
				t.Errorf("%s: no row was read by itself", name)
			}
		}
	}
}
