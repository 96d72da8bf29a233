package timeseries

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrField is the error of a filter, projection or condition by a field that the model does not store.
var ErrField = errors.New("the model stores no field with this name")

type readOptions struct {
	from, to          model.Time
	between           [2]any // of order values; nil is no bound
	fromValue         model.Value
	toValue           model.Value
	newest            bool
	limit             int
	consistent        bool
	after             string
	comparisons       []comparison
	where             model.Condition // of the comparisons
	fields            []string
	subjects, streams []string
	unit              tier.Unit
	stitched, gaps    bool
	index             string
}

// In reads the half-open range [from, to) of event times. Rollups include all buckets that overlap the
// range. The zero time.Time as from or to leaves that end open. Without In everything is read.
func In(from, to time.Time) RangeOption {
	return option(func(r *readOptions) {
		if r.from = ceilMilli(from); !to.IsZero() {
			r.to = ceilMilli(to)
		}
	})
}

// Between reads the half-open range [from, to) of the values of a kind that is ordered by a
// number or text. nil as from or to leaves that end open.
func Between(from, to any) CountOption {
	return option(func(r *readOptions) { r.between = [2]any{from, to} })
}

// orderBound returns a bound of Between.
func (l *layout) orderBound(bound any) (model.Value, error) {
	if text, ok := bound.(string); ok && text == "" {
		return model.Value{}, nil // no text is before it
	}
	t, err := l.term(comparison{field: cmp.Or(l.orderBy, "order"), op: model.Equal, value: bound})
	return t.Value, err
}

// Newest reads newest first. The default is oldest first.
func Newest() OrderOption { return option(func(r *readOptions) { r.newest = true }) }

// Limit reads at most n events, rollups or items. For a chart, n is the maximum number of
// points; the default is 1,500.
func Limit(n int) LimitOption { return option(func(r *readOptions) { r.limit = n }) }

// Consistent makes reads strongly consistent, at twice the cost.
func Consistent() LatestOption { return option(func(r *readOptions) { r.consistent = true }) }

// After continues after a page: next is the Next of that page.
func After(next string) CursorOption { return option(func(r *readOptions) { r.after = next }) }

// Where returns only events whose stored field compares with value as op says. With several
// Where options, all must hold. value has the type of the field, another is
// model.ErrCondition; model.Exists and model.Missing ignore it. Excluded events are still read and paid for.
func Where(field string, op model.Op, value any) CountOption {
	return option(func(r *readOptions) {
		r.comparisons = append(r.comparisons, comparison{field: field, op: op, value: value})
	})
}

// Only returns only these stored fields. All other fields are absent.
func Only(fields ...string) HistoryOption {
	return option(func(r *readOptions) { r.fields = append([]string{}, fields...) })
}

// AndSubjects merges further subjects with the subject of the key, bucket by bucket.
func AndSubjects(ids ...string) MergeOption { return option(func(r *readOptions) { r.subjects = ids }) }

// AndStreams merges further streams with the stream of the key, bucket by bucket.
func AndStreams(streams ...string) MergeOption {
	return option(func(r *readOptions) { r.streams = streams })
}

// InTier selects the tier of a chart. The default is the tier that suits the range.
func InTier(unit tier.Unit) ChartOption { return option(func(r *readOptions) { r.unit = unit }) }

// Stitched lets a chart use coarser tiers for the part of the range that has expired in a finer one.
func Stitched() ChartOption { return option(func(r *readOptions) { r.stitched = true }) }

// Gaps adds empty rollups for buckets without events, where none can have expired.
func Gaps() ChartOption { return option(func(r *readOptions) { r.gaps = true }) }

// Index selects the index of latest items. The default is the first.
func Index(name string) LatestByOption { return option(func(r *readOptions) { r.index = name }) }

// nilOption is the error of an option that is nil. Without it, the program would read more than it asked for,
// or write without its condition.
func nilOption(i int) error {
	return fmt.Errorf("option %d is nil: leave it out, or set it, as with In or If", i+1)
}

// newReadOptions applies the options of a read; O is its type of options.
func newReadOptions[O any](l *layout, opts []O) (readOptions, error) {
	r := readOptions{from: model.MinTime, to: model.MaxTime + 1}
	for i, opt := range opts {
		apply, _ := any(opt).(option)
		if apply == nil {
			return r, nilOption(i)
		}
		apply(&r)
	}
	for _, one := range r.comparisons {
		if err := l.checkAppended(one.field); err != nil {
			return r, err
		}
	}
	for _, name := range r.fields {
		if err := l.checkAppended(name); err != nil {
			return r, err
		}
	}
	var errs [3]error
	r.where, errs[0] = l.condition(r.comparisons)
	r.fromValue, errs[1] = l.orderBound(r.between[0])
	r.toValue, errs[2] = l.orderBound(r.between[1])
	return r, errors.Join(errs[:]...)
}

func (r *readOptions) history(series query.Series) query.History {
	return query.History{
		Series: series, From: r.from, To: r.to, FromValue: r.fromValue, ToValue: r.toValue, Newest: r.newest,
		Limit: r.limit, Cursor: r.after, Consistent: r.consistent, Where: r.where, Fields: r.fields,
	}
}

func (r *readOptions) rollups(series query.Series, unit tier.Unit) query.Rollups {
	from := r.from
	if unit.Valid() && from > model.MinTime && from < r.to { // an empty range stays one
		from = unit.BucketAt(from).Start
	}
	return query.Rollups{
		Series: series, Subjects: r.subjects, Streams: r.streams, Unit: unit, From: from, To: r.to,
		Newest: r.newest, Limit: r.limit, Cursor: r.after, Consistent: r.consistent,
	}
}

// ceilMilli rounds t up to a whole millisecond. Stored times are whole milliseconds, so the
// range holds the same events. Times that cannot be stored become the first or last time.
func ceilMilli(t time.Time) model.Time {
	at := model.NewTime(t)
	switch {
	case t.Before(model.MinTime.Time()):
		return model.MinTime
	case t.After(model.MaxTime.Time()):
		return model.MaxTime + 1
	case at.Time().Before(t):
		return at + 1
	}
	return at
}
