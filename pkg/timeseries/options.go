package timeseries

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Errors of a reading that cannot be done as asked.
var (
	// ErrOption says that an option has no meaning for the reading it is given to: left
	// aside, it would answer another question.
	ErrOption = errors.New("the option means nothing to this reading")
	// ErrField says that the model has no such field to compare or to project.
	ErrField = errors.New("the model stores no field of this name")
)

// ReadOption narrows or turns a reading. One that has no meaning for the reading it is
// given to is answered ErrOption.
type ReadOption struct {
	name  string
	apply func(*reading)
}

type reading struct {
	from, to          model.Time
	newest            bool
	limit             int
	consistent        bool
	after             string
	where             model.Condition
	fields            []string
	subjects, streams []string
	unit              tier.Unit
	stitched, gaps    bool
	index             string
	mistake           error
}

// In reads the half-open range [from, to): events by event time, rollups by the
// start of their bucket. Without it everything is read.
func In(from, to time.Time) ReadOption {
	return ReadOption{"In", func(r *reading) { r.from, r.to = firstMilli(from), firstMilli(to) }}
}

// Newest reads newest first; the default is oldest first.
func Newest() ReadOption { return ReadOption{"Newest", func(r *reading) { r.newest = true }} }

// Limit reads n at most. Of a chart it is the most points, 1,500 without it.
func Limit(n int) ReadOption { return ReadOption{"Limit", func(r *reading) { r.limit = n }} }

// Consistent reads what every write before has left, at twice the cost.
func Consistent() ReadOption {
	return ReadOption{"Consistent", func(r *reading) { r.consistent = true }}
}

// After goes on behind a page, by its Next.
func After(next string) ReadOption { return ReadOption{"After", func(r *reading) { r.after = next }} }

// Where hands out only events whose field, by the name it is stored under, compares
// with value as op says; several must all hold. value is any type that a tide tag
// takes, and not used by model.Exists and model.Missing. What is left out is read, and
// costs, all the same.
func Where(field string, op model.Op, value any) ReadOption {
	return ReadOption{"Where", func(r *reading) {
		t, err := term(field, op, value)
		r.where, r.mistake = append(r.where, t), errors.Join(r.mistake, err)
	}}
}

// Only hands out these fields, by the names they are stored under; the others are as if
// the events had none.
func Only(fields ...string) ReadOption {
	return ReadOption{"Only", func(r *reading) { r.fields = append([]string{}, fields...) }}
}

// AndSubjects reads further subjects beside the key's, merged bucket by bucket.
func AndSubjects(ids ...string) ReadOption {
	return ReadOption{"AndSubjects", func(r *reading) { r.subjects = ids }}
}

// AndStreams reads further streams beside the key's, merged bucket by bucket.
func AndStreams(streams ...string) ReadOption {
	return ReadOption{"AndStreams", func(r *reading) { r.streams = streams }}
}

// Of has a chart drawn in this tier, whatever would suit the range.
func Of(unit tier.Unit) ReadOption { return ReadOption{"Of", func(r *reading) { r.unit = unit }} }

// Stitched goes on with coarser tiers before the retention of a finer one.
func Stitched() ReadOption { return ReadOption{"Stitched", func(r *reading) { r.stitched = true }} }

// Gaps shows buckets without events too, empty and marked, where none can have expired.
func Gaps() ReadOption { return ReadOption{"Gaps", func(r *reading) { r.gaps = true }} }

// Index finds currents in this one of the table's indexes; the default is the first.
func Index(name string) ReadOption {
	return ReadOption{"Index", func(r *reading) { r.index = name }}
}

// The options that each reading takes.
var (
	currentsTakes = []string{"Index", "Limit", "After"}
	currentTakes  = []string{"Consistent"}
	historyTakes  = []string{"In", "Newest", "Limit", "Consistent", "Where", "Only"}
	pageTakes     = append([]string{"After"}, historyTakes...)
	countTakes    = []string{"In", "Consistent", "Where"}
	rollupsTakes  = []string{"In", "Newest", "Limit", "Consistent", "AndSubjects", "AndStreams"}
	chartTakes    = append([]string{"Of", "Stitched", "Gaps"}, rollupsTakes...)
)

// reading puts options together for a reading that takes those named.
func (e *Events[T]) reading(opts []ReadOption, takes []string) (reading, error) {
	r := reading{from: model.MinTime, to: model.MaxTime + 1}
	for _, opt := range opts {
		if !slices.Contains(takes, opt.name) {
			return r, fmt.Errorf("%s: %w: it takes %v", opt.name, ErrOption, takes)
		}
		opt.apply(&r)
	}
	if r.mistake != nil {
		return r, r.mistake
	}
	for _, t := range r.where {
		if err := e.model.appends(t.Field); err != nil {
			return r, err
		}
	}
	for _, name := range r.fields {
		if err := e.model.appends(name); err != nil {
			return r, err
		}
	}
	return r, r.where.Check()
}

func (r *reading) history(series query.Series) query.History {
	return query.History{
		Series: series, From: r.from, To: r.to, Newest: r.newest, Limit: r.limit,
		Cursor: r.after, Consistent: r.consistent, Where: r.where, Fields: r.fields,
	}
}

func (r *reading) rollups(series query.Series, unit tier.Unit) query.Rollups {
	return query.Rollups{
		Series: series, Subjects: r.subjects, Streams: r.streams, Unit: unit, From: r.from, To: r.to,
		Newest: r.newest, Limit: r.limit, Consistent: r.consistent,
	}
}

// term is the comparison of a stored field with a Go value.
func term(field string, op model.Op, value any) (model.Term, error) {
	t := model.Term{Field: field, Op: op}
	if stored, ok := value.(model.Value); ok {
		t.Value = stored
		return t, nil
	}
	if value == nil {
		return t, nil
	}
	v := reflect.ValueOf(value)
	if typesOf(enrichmentRole)(v.Type()) {
		var err error
		t.Value, _, err = encode(v)
		return t, err
	}
	return t, fmt.Errorf("%w: %.64q cannot be compared with a %s", model.ErrCondition, field, v.Type())
}

// firstMilli is the first whole millisecond not before t: stored times are whole
// milliseconds, so a range between two of them holds the same events. What no stored
// time can be is cut to the ends of time.
func firstMilli(t time.Time) model.Time {
	at := model.TimeOf(t)
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
