package main

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// followed is a series that grows while it is followed: what arrives at each second.
type followed struct {
	t       *testing.T
	now     model.Time
	table   *memory.Table
	arrives map[int][]string // ids, by the second of the event's time, at that second
	second  int
	shown   []string
	ends    int // the second at which the context ends; 0 is never
}

func (f *followed) follower(every, lasting time.Duration) *follower {
	kinds, err := iot.Catalog()
	if err != nil {
		f.t.Fatal(err)
	}
	f.now = exportNow
	f.table = memory.New(func() model.Time { return f.now })
	f.arrive()
	service := &query.Service{Store: f.table, Now: func() model.Time { return f.now }}
	return &follower{
		read: service.EachEvent,
		show: func(e *model.Event) error { f.shown = append(f.shown, e.ID); return nil },
		now:  func() model.Time { return f.now },
		wait: func(_ context.Context, d time.Duration) error {
			if f.second++; f.ends > 0 && f.second >= f.ends {
				return context.Canceled
			}
			f.now = f.now.Add(d)
			f.arrive()
			return nil
		},
		every: every, lasting: lasting,
		from: query.History{Series: query.Series{Kind: &kinds.Kinds[0], Subject: "a"}, From: model.MinTime, To: model.MaxTime + 1},
	}
}

func (f *followed) arrive() {
	for _, id := range f.arrives[f.second] {
		at := exportNow.Add(time.Duration(f.second) * time.Second)
		if strings.HasPrefix(id, "late") {
			at = at.Add(-time.Hour)
		}
		e := model.Event{Series: device("a", "", 0), Order: model.Order{At: at, ID: id}}
		if _, err := f.table.Put(f.t.Context(), e); err != nil {
			f.t.Fatal(err)
		}
	}
}

func TestTail_ShowsEachNewEventOnceAndEnds(t *testing.T) {
	for name, c := range map[string]struct {
		arrives map[int][]string
		lasting time.Duration
		ends    int
		want    string
	}{
		"the newest few first":         {map[int][]string{0: {"a", "b", "c"}}, 3 * time.Second, 0, "b c"},
		"then what comes":              {map[int][]string{0: {"a"}, 1: {"b"}, 3: {"c", "d"}}, 3 * time.Second, 0, "a b c d"},
		"nothing at the beginning":     {map[int][]string{2: {"x"}}, 3 * time.Second, 0, "x"},
		"what is late is passed over":  {map[int][]string{0: {"a"}, 1: {"late"}, 2: {"b"}}, 3 * time.Second, 0, "a b"},
		"ends when it is interrupted":  {map[int][]string{0: {"a"}, 1: {"b"}, 9: {"c"}}, 0, 5, "a b"},
		"nothing comes after its time": {map[int][]string{0: {"a"}, 4: {"b"}}, 3 * time.Second, 0, "a"},
	} {
		f := &followed{t: t, arrives: c.arrives, ends: c.ends}
		if err := f.follower(time.Second, c.lasting).follow(t.Context(), 2); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Join(f.shown, " "); got != c.want {
			t.Errorf("%s: shown %q, want %q", name, got, c.want)
		}
	}
}

func TestTail_ATableThatFailsEndsIt(t *testing.T) {
	failed := errors.New("no table")
	f := (&followed{t: t}).follower(time.Second, 0)
	f.read = func(context.Context, query.History) iter.Seq2[model.Event, error] {
		return func(yield func(model.Event, error) bool) { yield(model.Event{}, failed) }
	}
	if err := f.follow(t.Context(), 1); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
}
