package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromWatermark is the stored form of aggregate's watermark.
func FromWatermark(at model.Time) Item {
	it := under(keys.Watermark(), 1)
	it[keys.AttrAt] = timeOf(at)
	return it
}

// Watermark is the way back from FromWatermark. Errors wrap keys.ErrForeign, ErrNewer
// or ErrDamaged.
func Watermark(it Item) (model.Time, error) {
	if k := it.Key(); k != keys.Watermark() {
		return 0, fmt.Errorf("read watermark under %.80q: %w", k.SK, keys.ErrForeign)
	}
	r := reader{it: it}
	r.version(required)
	at := r.time(keys.AttrAt, required)
	if r.err != nil {
		return 0, fmt.Errorf("read watermark: %w", r.err)
	}
	return at, nil
}

// FromGap is the stored form of a gap. It stays until it is mended.
func FromGap(g model.Gap) Item {
	it := under(keys.Gap(g.From), 1)
	it[keys.AttrTo] = timeOf(g.To)
	return it
}

// Gap is the way back from FromGap. Errors wrap keys.ErrForeign, ErrNewer or
// ErrDamaged.
func Gap(it Item) (model.Gap, error) {
	from, err := keys.ParseGap(it.Key())
	if err != nil {
		return model.Gap{}, err
	}
	r := reader{it: it}
	r.version(required)
	g := model.Gap{From: from, To: r.time(keys.AttrTo, required)}
	if r.err != nil {
		return model.Gap{}, fmt.Errorf("read gap from %s: %w", from, r.err)
	}
	return g, nil
}
