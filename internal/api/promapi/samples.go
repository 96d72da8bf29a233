package promapi

import (
	"math"
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"

	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// column is one metric of a series while its samples are collected.
type column struct {
	labels labels.Labels
	floats []promql.FPoint
	until  model.Time // end of the bucket after the last sample
}

var staleMarker = math.Float64frombits(value.StaleNaN)

// add appends the value of a bucket. Where buckets were left out, the series is stale.
func (c *column) add(b tier.Bucket, unit tier.Unit, v float64) {
	if len(c.floats) > 0 && b.End > c.until {
		c.end()
	}
	c.floats = append(c.floats, promql.FPoint{T: int64(b.End), F: v})
	c.until = unit.BucketAt(b.End).End
}

// end marks the series stale after its last sample.
func (c *column) end() { c.floats = append(c.floats, promql.FPoint{T: int64(c.until), F: staleMarker}) }

// columns are the metrics of one series that the matchers match, in order of labels. index is by
// measure and statistic; nil means the matchers do not match.
type columns struct {
	series   model.Series
	unit     tier.Unit
	matchers []*labels.Matcher
	index    map[[2]string]*column
	inexact  int             // buckets
	awaited  []model.Time    // ends of buckets that have no sample yet
	omitting int             // buckets whose rows omit undeclared measures
	partial  int             // values left out: the measure was added to the kind in their bucket
	missing  []query.Segment // not known
	progress query.Progress
}

func (c *columns) add(b tier.Bucket, measure, statistic string, v *float64) {
	key := [2]string{measure, statistic}
	found, known := c.index[key]
	if !known {
		if l := seriesLabels(c.series, measure, statistic); matchesAll(l, c.matchers) {
			found = &column{labels: l}
		}
		c.index[key] = found
	}
	if found != nil && v != nil {
		found.add(b, c.unit, *v)
	}
}

// addRollup adds the samples of a closed bucket.
func (c *columns) addRollup(r query.Rollup, progress query.Progress) {
	inexact := 0.0
	if !r.Exact {
		inexact = 1
		c.inexact++
	}
	if r.Summary.Truncated() {
		c.omitting++
	}
	c.add(r.Bucket, metricInexact, "", &inexact)
	c.add(r.Bucket, metricEvents, "", new(float64(r.Summary.Events())))
	c.add(r.Bucket, metricCompleteThrough, "", seconds(progress.CompleteThrough))
	c.add(r.Bucket, metricProcessed, "", seconds(progress.ProcessedThrough))
	for _, name := range r.Summary.Names() {
		if !c.wanted(name) {
			continue
		}
		if _, partial := r.Partial.Find(rollup.MeasureRole, name); partial {
			c.partial++
			continue
		}
		figures := figure.New(r.Measure(name))
		_, partial := r.Partial.Find(rollup.PercentilesRole, name)
		if partial {
			c.partial++
		}
		for _, s := range statistics {
			if partial && s.Percentile {
				continue
			}
			c.add(r.Bucket, name, s.Statistic, figure.Float(s.Value(figures)))
		}
	}
}

// await notes a bucket that has ended and has no sample yet, because groups or sessions of it are still
// folded. Until it has one, the sample before it is valid: the series has not ended.
func (c *columns) await(b tier.Bucket) { c.awaited = append(c.awaited, b.End) }

// seconds returns a time in seconds; nil if it is not known, or before the first sweep or change.
func seconds(at *model.Time) *float64 {
	if at == nil || *at == model.MinTime {
		return nil
	}
	return new(float64(*at) / 1000)
}

// wanted reports whether the matchers match any statistic of a measure.
func (c *columns) wanted(measure string) bool {
	return matchesLabels(seriesLabels(c.series, measure, "any"), c.matchers, labelName, labelMeasure)
}

// set returns the series with samples.
func (c *columns) set() (all []storage.Series) {
	for _, found := range c.index {
		if found != nil && len(found.floats) > 0 {
			for slices.Contains(c.awaited, found.until) {
				found.until = c.unit.BucketAt(found.until).End
			}
			found.end()
			all = append(all, promql.NewStorageSeries(promql.Series{Metric: found.labels, Floats: found.floats}))
		}
	}
	return all
}
