package rollup

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ForSeries returns s for a merge with summaries of other series: steps are between readings of one series
// alone. It shares no list of measures with s, and is s itself where nothing is known of steps. Its bytes
// must not be stored.
func (s *Summary) ForSeries(series model.Series) *Summary {
	name := series.String()
	return s.eachRun(func(r *run) { r.series = name })
}

// Apart returns s for readers who know nothing of what was at some times, in order: no step leads from before
// one of them to it or later. As of ForSeries, its bytes must not be stored.
func (s *Summary) Apart(times []model.Time) *Summary {
	if len(times) == 0 {
		return s
	}
	return s.eachRun(func(r *run) {
		r.part, _ = slices.BinarySearch(times, r.first.order.At+1)
	})
}

// eachRun returns a copy of s whose runs are changed; s itself where nothing is known of steps.
func (s *Summary) eachRun(change func(*run)) *Summary {
	if !slices.ContainsFunc(s.measures, func(t totals) bool { return t.steps.kind != 0 }) {
		return s
	}
	c := *s
	c.measures = slices.Clone(s.measures)
	for i := range c.measures {
		t := &c.measures[i]
		t.steps = t.steps.clone()
		for _, reading := range t.steps.readings {
			t.steps.runs = append(t.steps.runs, run{first: reading, last: reading})
		}
		t.steps.readings = nil
		for r := range t.steps.runs {
			change(&t.steps.runs[r])
		}
	}
	return &c
}

// LastReadings are the last readings of measures before a time, of each series. A step belongs to the bucket
// of the reading that ends it, so the increase of consecutive buckets needs the reading before each. The zero
// value knows of none. It is not safe for concurrent use.
type LastReadings struct {
	measures []totals // sorted by name; each run has one reading
}

// Clone returns a copy.
func (l *LastReadings) Clone() *LastReadings {
	c := &LastReadings{measures: slices.Clone(l.measures)}
	for i := range c.measures {
		c.measures[i] = c.measures[i].clone()
	}
	return c
}

// Pass moves l past the events of s, which are later. A measure whose steps s does not know has no last
// reading then.
func (l *LastReadings) Pass(s *Summary) {
	l.each(s, func(was, now *totals) {
		if was.steps.kind != now.steps.kind {
			*was = *now
			return
		}
		was.later(now)
	})
}

// Before adds the last readings of s, whose events are earlier, of measures and series that l lacks.
func (l *LastReadings) Before(s *Summary) {
	l.each(s, func(was, now *totals) {
		if was.steps.kind == now.steps.kind {
			was.later(now)
		}
	})
}

// Join adds the last readings of o: of each series, the later one.
func (l *LastReadings) Join(o *LastReadings) { l.Before(&Summary{measures: o.measures}) }

// each adds the measures that l lacks, and combines the others.
func (l *LastReadings) each(s *Summary, combine func(was, now *totals)) {
	for i := range s.measures {
		t := &s.measures[i]
		if t.count == 0 {
			continue
		}
		now := t.lastReadings()
		if at, found := l.find(t.name); found {
			combine(&l.measures[at], &now)
		} else {
			l.measures = slices.Insert(l.measures, at, now)
		}
	}
}

func (l *LastReadings) find(name string) (int, bool) {
	return slices.BinarySearchFunc(l.measures, name, func(t totals, name string) int {
		return strings.Compare(t.name, name)
	})
}

// later keeps the later reading of each series.
func (t *totals) later(o *totals) {
	o.grow(t.scale)
	t.grow(o.scale)
	t.steps.merge(&o.steps)
	*t = t.lastReadings()
}

// lastReadings returns a measure with the last reading of each series alone.
func (t *totals) lastReadings() totals {
	last := totals{name: t.name, scale: t.scale, count: t.count, steps: steps{kind: t.steps.kind}}
	for _, r := range t.steps.joined(t.scale) {
		last.steps.runs = append(last.steps.runs, run{series: r.series, first: r.last, last: r.last})
	}
	return last
}

// Lacks reports whether l has no reading of a measure that s declares with steps.
func (l *LastReadings) Lacks(s *Spec) bool {
	return slices.ContainsFunc(s.Measures, func(m MeasureSpec) bool {
		_, found := l.find(m.Name)
		return m.steps() != 0 && !found
	})
}

// HasSteps reports whether a measure is declared whose steps are summarised.
func (s *Spec) HasSteps() bool { return (&LastReadings{}).Lacks(s) }

// MeasureAfter is Measure with the steps from the readings before: of a counter, with the increase since the
// last reading before the bucket. before may be nil.
func (s *Summary) MeasureAfter(name string, before *LastReadings) (Measure, bool) {
	m, found := s.Measure(name)
	if !found || before == nil {
		return m, found
	}
	i, hasBefore := before.find(name)
	if hasBefore && m.steps != 0 && before.measures[i].steps.kind == m.steps {
		at, _ := s.findMeasure(name)
		all, now := before.measures[i].clone(), s.measures[at].clone()
		all.grow(now.scale)
		now.grow(all.scale)
		all.steps.merge(&now.steps)
		m.runs, m.stepScale = all.steps.joined(all.scale), all.scale
	}
	return m, true
}

// Increase returns the increase of a counter over the steps that end in the bucket, exactly: a step to a
// lower reading counts from zero, or over the wrap-around. It returns false where the measure is no counter,
// where no step is known, and where values were folded before the measure was declared as a counter.
func (m Measure) Increase() (model.Decimal, bool) {
	if m.steps&counterSteps == 0 || !m.hasStep() {
		return model.Decimal{}, false
	}
	return model.Unscaled(combine(m.runs).increase, m.stepScale), true
}

// Resets returns how many of these steps went to a lower reading; false where Increase does.
func (m Measure) Resets() (int64, bool) {
	if m.steps&counterSteps == 0 || !m.hasStep() {
		return 0, false
	}
	return combine(m.runs).resets, true
}

// Rate returns the increase a second: of several series, the sum of their rates. It returns false where
// Increase does, and where no time is covered.
func (m Measure) Rate() (float64, bool) {
	rate, covered := 0.0, m.Covered() > 0
	for _, runs := range bySeries(m.runs) {
		if d := coveredBy(runs); d > 0 {
			increase := model.Unscaled(combine(runs).increase, m.stepScale)
			rate += increase.Float64() / d.Seconds()
		}
	}
	return rate, covered && m.steps&counterSteps != 0
}

// bySeries cuts runs, which are in order of series, where another one begins.
func bySeries(runs []run) (all [][]run) {
	begin := 0
	for i := range runs {
		if i+1 == len(runs) || runs[i+1].series != runs[i].series {
			all, begin = append(all, runs[begin:i+1]), i+1
		}
	}
	return all
}

// TimeMean returns the mean of the values over the time of these steps: each counts as long as it holds,
// until the next reading. Of several series it is over the time of all. It returns false where the measure
// is not declared with it, where no time is covered, and where values were folded before it was declared.
func (m Measure) TimeMean() (float64, bool) {
	covered := m.Covered().Milliseconds()
	if m.steps&timeSteps == 0 || covered == 0 {
		return 0, false
	}
	all := combine(m.runs)
	unit := powersOf10[m.stepScale].ToBig()
	mean, _ := new(big.Rat).SetFrac(signed(&all.integral), unit.Mul(unit, big.NewInt(covered))).Float64()
	return mean, true
}

// Covered returns the time that these steps took: of several series, the sum.
func (m Measure) Covered() time.Duration { return coveredBy(m.runs) }

func coveredBy(runs []run) (all time.Duration) {
	for _, r := range runs {
		all += time.Duration(r.last.order.At-r.first.order.At) * time.Millisecond
	}
	return all
}

func (m Measure) hasStep() bool {
	return slices.ContainsFunc(m.runs, func(r run) bool { return r.first.order != r.last.order })
}
