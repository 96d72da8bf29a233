package item_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestWatermark_AndGapsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		when := rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime))
		at := model.Time(when.Draw(r, "at"))
		if got, err := item.Watermark(item.FromWatermark(at)); err != nil || got != at {
			t.Errorf("watermark %s came back as %s: %v", at, got, err)
		}
		g := model.Gap{From: at, To: model.Time(when.Draw(r, "to"))}
		if got, err := item.Gap(item.FromGap(g)); err != nil || got != g {
			t.Errorf("gap %v came back as %v: %v", g, got, err)
		}
	})
}

func TestWatermark_IsNoGapAndNoGapIsOne(t *testing.T) {
	gap, mark := item.FromGap(model.Gap{}), item.FromWatermark(0)
	if _, err := item.Watermark(gap); !errors.Is(err, keys.ErrForeign) {
		t.Errorf("a gap read as watermark: %v", err)
	}
	if _, err := item.Gap(mark); !errors.Is(err, keys.ErrForeign) {
		t.Errorf("a watermark read as gap: %v", err)
	}
	delete(mark, keys.AttrAt)
	delete(gap, keys.AttrTo)
	if _, err := item.Watermark(mark); !errors.Is(err, item.ErrDamaged) {
		t.Errorf("a watermark without a time: %v", err)
	}
	if _, err := item.Gap(gap); !errors.Is(err, item.ErrDamaged) {
		t.Errorf("a gap without an end: %v", err)
	}
}
