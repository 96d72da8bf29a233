package item_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestStreamProgressAndGap_RoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		when := rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime))
		at := model.Time(when.Draw(r, "at"))
		if got, err := item.StreamProgress(item.FromStreamProgress(at)); err != nil || got != at {
			t.Errorf("stream progress %s is decoded as %s: %v", at, got, err)
		}
		begun := item.FromBegunProgress(at)
		if got, err := item.StreamProgress(begun); err != nil || got != at || !item.IsBegun(begun) ||
			item.IsBegun(item.FromStreamProgress(at)) {
			t.Errorf("begun progress %s is decoded as %s: %v", at, got, err)
		}
		g := storage.Gap{From: at, To: model.Time(when.Draw(r, "to"))}
		if got, err := item.Gap(item.FromGap(g)); err != nil || got != g {
			t.Errorf("gap %v is decoded as %v: %v", g, got, err)
		}
	})
}

func TestStreamProgressAndGap_AreDistinguished(t *testing.T) {
	gap, mark := item.FromGap(storage.Gap{}), item.FromStreamProgress(0)
	if _, err := item.StreamProgress(gap); !errors.Is(err, keys.ErrKeyForm) {
		t.Errorf("a gap decoded as stream progress: %v", err)
	}
	if _, err := item.Gap(mark); !errors.Is(err, keys.ErrKeyForm) {
		t.Errorf("stream progress decoded as a gap: %v", err)
	}
	delete(mark, tablekeys.AttrAt)
	delete(gap, tablekeys.AttrGapEnd)
	if _, err := item.StreamProgress(mark); !errors.Is(err, item.ErrDamaged) {
		t.Errorf("stream progress without a time: %v", err)
	}
	if _, err := item.Gap(gap); !errors.Is(err, item.ErrDamaged) {
		t.Errorf("a gap without an end: %v", err)
	}
}
