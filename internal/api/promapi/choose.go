package promapi

import (
	"fmt"
	"time"

	"github.com/prometheus/prometheus/storage"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// lookback is longer than any bucket. A sample is valid until the end of the next bucket, where
// there is another sample or a marker that the series is stale, so it never has an effect.
const lookback = 2 * 366 * tier.Day24

// window is what one selector of a query reads: the buckets of a tier that end in a range.
type window struct {
	unit     tier.Unit
	from, to model.Time // of event times; from is in the first bucket
	reason   string
}

// chooseWindow returns the coarsest tier whose buckets are not longer than the step and the range of a
// selector, or the finest tier if all are longer. If it may have expired in the window and whole does not say
// that it is stored, it is the next coarser tier. All kinds have the tier, so that no result mixes sums of
// hours and of days.
func chooseWindow(
	kinds []*catalog.Kind, hints *storage.SelectHints, now model.Time, whole func(window) (bool, error),
) (window, error) {
	tiers := commonTiers(kinds)
	if len(tiers) == 0 {
		return window{}, beyond("the selected kinds have no tier in common: name one kind, as in {kind=%q}",
			kinds[0].Name)
	}
	resolution := time.Duration(hints.Step) * time.Millisecond
	if of := time.Duration(hints.Range) * time.Millisecond; of > 0 && (of < resolution || resolution == 0) {
		resolution = of
	}
	chosen := 0
	for i, t := range tiers {
		if t.Unit.Longest() <= resolution {
			chosen = i
		}
	}
	wanted := tiers[chosen].Unit
	for ; chosen+1 < len(tiers); chosen++ {
		w := closedWindow(tiers[chosen].Unit, hints, now)
		if w.from >= tiers[chosen].CompleteFrom(now) {
			break
		}
		stored, err := whole(w)
		if err != nil {
			return window{}, err
		}
		if stored {
			break
		}
	}
	w := closedWindow(tiers[chosen].Unit, hints, now)
	w.reason = fmt.Sprintf("%s rollups", w.unit.Adjective())
	if w.unit != wanted {
		w.reason += fmt.Sprintf(": %s rollups of this range have expired", wanted.Adjective())
	}
	return w, nil
}

// closedWindow leaves out the bucket that is open: it has no sample, and its events would be read to fold it.
func closedWindow(unit tier.Unit, hints *storage.SelectHints, now model.Time) window {
	from := model.Time(hints.Start)
	if hints.Range == 0 {
		from = from.Add(lookback) - 1
	}
	w := window{unit: unit, from: max(from.Add(-unit.Longest()), model.MinTime),
		to: min(model.Time(hints.End)+1, model.MaxTime)}
	if closed := unit.BucketAt(now).Start; closed > w.from {
		w.to = min(w.to, closed)
	}
	return w
}

// commonTiers returns the tiers that all kinds have, finest first. Each tier is taken from the kind
// with the latest complete bucket.
func commonTiers(kinds []*catalog.Kind) (common []tier.Tier) {
	for _, t := range kinds[0].Retention.Tiers {
		all := true
		for _, k := range kinds[1:] {
			other, _, ok := k.Retention.Find(t.Unit)
			if all = all && ok; ok && other.CompleteFrom(model.MaxTime) > t.CompleteFrom(model.MaxTime) {
				t = other
			}
		}
		if all {
			common = append(common, t)
		}
	}
	return common
}

// newChart returns the request for the buckets of a series in the window.
func (w window) newChart(s query.Series) query.Chart {
	return query.Chart{Rollups: query.Rollups{Series: s, Unit: w.unit, From: w.from, To: w.to,
		Limit: maxBuckets}}
}
