package aggregate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// gaps are those kept in the world's table.
func (w *world) gaps() (all []model.Gap) {
	for _, it := range w.items() {
		if g, err := item.Gap(it); err == nil {
			all = append(all, g)
		}
	}
	return all
}

func (w *world) watermark() model.Time {
	w.Helper()
	it, err := w.GetItem(w.ctx(), keys.Watermark())
	if err != nil {
		w.Fatal(err)
	}
	at, err := item.Watermark(it)
	if err != nil {
		w.Fatal(err)
	}
	return at
}

func (w *world) settled(m *aggregate.Watermark, at model.Time) *model.Gap {
	w.Helper()
	gap, err := m.Settled(w.ctx(), at)
	if err != nil {
		w.Fatal(err)
	}
	return gap
}

func TestWatermark_AGapIsKeptWhereItStoodForAsLongAsTheStreamRemembers(t *testing.T) {
	for _, c := range []struct {
		still time.Duration
		gap   bool
	}{{time.Minute, false}, {23 * time.Hour, false}, {23*time.Hour + time.Second, true}, {90 * time.Hour, true}} {
		w := newWorld(t)
		start := at(ten)
		w.settled(&aggregate.Watermark{Store: w.Table}, start)
		gap := w.settled(&aggregate.Watermark{Store: w.Table}, start.Add(c.still)) // another process
		if (gap != nil) != c.gap || len(w.gaps()) > 0 != c.gap {
			t.Errorf("after %s: gap %v, kept %v; want one: %v", c.still, gap, w.gaps(), c.gap)
		}
		if gap != nil && (*gap != model.Gap{From: start, To: start.Add(c.still)} || w.gaps()[0] != *gap) {
			t.Errorf("gap %v, kept %v", *gap, w.gaps())
		}
		if got := w.watermark(); got != start.Add(c.still) {
			t.Errorf("watermark %s, want %s", got, start.Add(c.still))
		}
	}
}

func TestWatermark_CostsAProcessOneWriteAMinute(t *testing.T) {
	w := newWorld(t)
	counting := &countingMarks{Marks: w.Table}
	m := &aggregate.Watermark{Store: counting}
	for second := range 600 {
		w.settled(m, at(ten).Add(time.Duration(second)*time.Second))
	}
	if counting.requests != 10 {
		t.Errorf("%d requests in 10 minutes of a batch a second, want 10", counting.requests)
	}
	w.settled(m, at(ten)) // a replay
	if w.watermark() != at(ten).Add(9*time.Minute) {
		t.Errorf("watermark %s moved back", w.watermark())
	}
}

type countingMarks struct {
	aggregate.Marks
	requests int
}

func (c *countingMarks) Advance(ctx context.Context, at, floor model.Time) (model.Answer, model.Time, error) {
	c.requests++
	return c.Marks.Advance(ctx, at, floor)
}

// A crash between keeping a gap and moving on leaves the gap to be found again.
func TestWatermark_MovesOnOnlyOnceTheGapIsKept(t *testing.T) {
	w := newWorld(t)
	w.settled(&aggregate.Watermark{Store: w.Table}, at(ten))
	for _, answer := range []model.Answer{model.Throttled, model.Uncertain} {
		m := &aggregate.Watermark{Store: closedMarks{w.Table, answer, nil}}
		if gap := w.settled(m, at(ten).Add(48*time.Hour)); gap != nil || w.watermark() != at(ten) {
			t.Errorf("%s: gap %v told, watermark %s; want nothing moved", answer, gap, w.watermark())
		}
	}
	m := &aggregate.Watermark{Store: closedMarks{w.Table, model.Uncertain, errors.New("access denied")}}
	if _, err := m.Settled(w.ctx(), at(ten).Add(48*time.Hour)); err == nil {
		t.Error("a gap that cannot be kept is no error")
	}
}

type closedMarks struct {
	aggregate.Marks
	answer model.Answer
	err    error
}

func (c closedMarks) KeepGap(context.Context, model.Gap) (model.Answer, error) {
	return c.answer, c.err
}
