package tail

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// testNow is the time when following begins: 2026-04-20T14:30:00Z.
const testNow = model.Time(1_776_695_400_000)

// growingSeries is a series to which events are added while it is followed.
type growingSeries struct {
	t       *testing.T
	now     model.Time
	table   *memory.Table
	arrives map[int][]string // ids by the second at which they arrive, which is their event time
	second  int
	shown   []string
	ends    int // the second at which the context ends; 0 means never
}

func (f *growingSeries) follower(every, lasting time.Duration) *Follower {
	kinds, err := iot.Catalog()
	if err != nil {
		f.t.Fatal(err)
	}
	f.now = testNow
	f.table = memory.New(func() model.Time { return f.now })
	f.arrive()
	service := &query.Service{Store: f.table, Now: func() model.Time { return f.now }}
	return &Follower{
		Read: service.EachEvent,
		Show: func(e *model.Event) error { f.shown = append(f.shown, e.ID); return nil },
		Now:  func() model.Time { return f.now },
		Sleep: func(_ context.Context, d time.Duration) error {
			if f.second++; f.ends > 0 && f.second >= f.ends {
				return context.Canceled
			}
			f.now = f.now.Add(d)
			f.arrive()
			return nil
		},
		Every: every, For: lasting,
		From: query.History{Series: query.Series{Kind: &kinds.Kinds[0], Subject: "a"}, From: model.MinTime, To: model.MaxTime + 1},
	}
}

func (f *growingSeries) arrive() {
	for _, id := range f.arrives[f.second] {
		at := testNow.Add(time.Duration(f.second) * time.Second)
		if strings.HasPrefix(id, "late") {
			at = at.Add(-time.Hour)
		}
		e := model.Event{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING"},
			Order: model.Order{At: at, ID: id}}
		if _, err := f.table.Put(f.t.Context(), e); err != nil {
			f.t.Fatal(err)
		}
	}
}

func TestFollow_ShowsEachNewEventOnceAndEnds(t *testing.T) {
	for name, c := range map[string]struct {
		arrives map[int][]string
		lasting time.Duration
		ends    int
		want    string
	}{
		"the newest events first":   {map[int][]string{0: {"a", "b", "c"}}, 3 * time.Second, 0, "b c"},
		"then each that arrives":    {map[int][]string{0: {"a"}, 1: {"b"}, 3: {"c", "d"}}, 3 * time.Second, 0, "a b c d"},
		"nothing at first":          {map[int][]string{2: {"x"}}, 3 * time.Second, 0, "x"},
		"late events are not shown": {map[int][]string{0: {"a"}, 1: {"late"}, 2: {"b"}}, 3 * time.Second, 0, "a b"},
		"interrupted":               {map[int][]string{0: {"a"}, 1: {"b"}, 9: {"c"}}, 0, 5, "a b"},
		"nothing after the end":     {map[int][]string{0: {"a"}, 4: {"b"}}, 3 * time.Second, 0, "a"},
	} {
		f := &growingSeries{t: t, arrives: c.arrives, ends: c.ends}
		if err := f.follower(time.Second, c.lasting).Follow(t.Context(), 2); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Join(f.shown, " "); got != c.want {
			t.Errorf("%s: shown %q, want %q", name, got, c.want)
		}
	}
}

func TestFollow_EndsWhenTheTableFails(t *testing.T) {
	failed := errors.New("no table")
	f := (&growingSeries{t: t}).follower(time.Second, 0)
	f.Read = func(context.Context, query.History) iter.Seq2[model.Event, error] {
		return func(yield func(model.Event, error) bool) { yield(model.Event{}, failed) }
	}
	if err := f.Follow(t.Context(), 1); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
}
