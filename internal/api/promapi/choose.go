package promapi

import (
	"cmp"
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
	tooShort string // if the range of the selector has too few buckets for its function
}

// compared are the functions of a range that compare its samples. Of a range with one sample, they find
// nothing, or say that nothing has changed.
var compared = map[string]bool{
	"changes": true, "delta": true, "deriv": true, "idelta": true, "increase": true, "irate": true,
	"mad_over_time": true, "predict_linear": true, "quantile_over_time": true, "rate": true, "resets": true,
	"stddev_over_time": true, "stdvar_over_time": true,
}

// resolution returns how long a bucket may be: the step, or the range of a selector if that is shorter.
func resolution(hints *storage.SelectHints) time.Duration {
	step, of := time.Duration(hints.Step)*time.Millisecond, longestInRange(hints)
	if of > 0 && (of < step || step == 0) {
		return of
	}
	return step
}

// longestInRange returns how long a bucket may be so that each range of a selector has the samples that its
// function needs; 0 without a range.
func longestInRange(hints *storage.SelectHints) time.Duration {
	of := time.Duration(hints.Range) * time.Millisecond
	if compared[hints.Func] {
		return of / 2
	}
	return of
}

// chooseWindow returns the coarsest tier whose buckets are not longer than the resolution of a selector, or
// the finest tier if all are longer. Where it may have expired in the window, and whole does not report that
// nothing is missing, the next coarser tier is chosen. All kinds have the tier, so that no result mixes sums
// of hours and of days.
func chooseWindow(
	kinds []*catalog.Kind, hints *storage.SelectHints, now model.Time, whole func(window) (bool, error),
) (window, error) {
	tiers := commonTiers(kinds)
	if len(tiers) == 0 {
		return window{}, beyond("the selected kinds have no tier in common: name one kind, as in {kind=%q}",
			kinds[0].Name)
	}
	chosen := 0
	for i, t := range tiers {
		if t.Unit.Longest() <= resolution(hints) {
			chosen = i
		}
	}
	wanted, why := tiers[chosen].Unit, ""
	for ; chosen+1 < len(tiers); chosen++ {
		w := closedWindow(tiers[chosen].Unit, hints, now)
		if w.isEmpty() || w.from >= tiers[chosen].CompleteFrom(now) {
			break
		}
		if w.unit.CountStarts(w.from, w.to) > maxBuckets {
			why = cmp.Or(why, "are too many")
			continue
		}
		if ok, err := whole(w); err != nil {
			return window{}, err
		} else if ok {
			break
		}
		why = cmp.Or(why, "have expired")
	}
	w := closedWindow(tiers[chosen].Unit, hints, now)
	w.reason = fmt.Sprintf("%s rollups", w.unit.Adjective())
	if w.unit != wanted {
		w.reason += fmt.Sprintf(": %s rollups of this range %s", wanted.Adjective(), why)
	}
	if of := longestInRange(hints); of > 0 && w.unit.Longest() > of {
		w.tooShort = fmt.Sprintf("a range of %s has too few %s rollups for %s: use a longer one",
			time.Duration(hints.Range)*time.Millisecond, w.unit.Adjective(), cmp.Or(hints.Func, "each step"))
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

// isEmpty reports whether no time of a selector is one that the table can have.
func (w window) isEmpty() bool { return w.from >= w.to }

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
