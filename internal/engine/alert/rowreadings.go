package alert

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// A group has no events. Its readings are the rows of its finest tier: a row is an event at the start of its
// bucket, whose fields are figures. A row that is written is a correction, whether it is new or not, because
// rows are not written in order of time. So the alerts are a function of the rows, whatever the order.

// readings are the events of a series that rules test, and its newest one.
type readings interface {
	Latest(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error)
	Events(ctx context.Context, r storage.Range) (storage.EventPage, error)
}

// readings returns the readings of a series.
func (s *Service) readings(series model.Series) readings {
	if kind := s.groupKind(series.Kind); kind != nil {
		return rowReadings{store: s.Store, kind: kind}
	}
	return s.Store
}

// groupKind returns a kind of groups; nil if the kind is another one.
func (s *Service) groupKind(name string) *catalog.Kind {
	if kind, ok := s.Catalog.Kind(name); ok && kind.GroupsOf != "" {
		return kind
	}
	return nil
}

// rowReadings makes events of the rows of a group.
type rowReadings struct {
	store Store
	kind  *catalog.Kind
}

// Latest returns the place of the newest row. The row may be empty: the alert of its bucket is withdrawn
// then.
func (r rowReadings) Latest(
	ctx context.Context, series model.Series, consistent bool,
) (*model.Latest, error) {
	newest := storage.Range{Series: series, From: model.MinTime, To: model.MaxTime, Newest: true, Limit: 1}
	newest.Consistent = consistent
	rows, err := r.store.Rows(ctx, r.kind.Retention.Finest().Unit, newest)
	if err != nil || len(rows.Rows) == 0 {
		return nil, err
	}
	at := model.Order{At: rows.Rows[0].Key.Start}
	return &model.Latest{Series: series, Ordered: true, Order: at}, nil
}

func (r rowReadings) Events(ctx context.Context, span storage.Range) (storage.EventPage, error) {
	rows, err := r.store.Rows(ctx, r.kind.Retention.Finest().Unit, span)
	page := storage.EventPage{Next: rows.Next}
	for i := range rows.Rows {
		row := &rows.Rows[i]
		if err == nil {
			err = item.RejectNewer(row)
		}
		if !row.Empty {
			page.Events = append(page.Events, rowEvent(row))
		}
	}
	return page, err
}

// EventsMeasure is the number of events of a bucket, as the measure of a rule for groups.
const EventsMeasure = "events"

// tested are the figures of a bucket that a rule for groups can test, as measure.name.
var tested = slices.DeleteFunc(slices.Concat(figure.Columns, figure.Steps),
	func(c figure.Column) bool { return !c.Tested })

// decimal returns a figure as a decimal; false if there is none.
func decimal(value any) (model.Decimal, bool) {
	switch x := value.(type) {
	case int64:
		return model.NewDecimal(x), true
	case *model.Decimal:
		if x != nil {
			return *x, true
		}
	case *float64:
		if x != nil {
			return rounded(*x)
		}
	}
	return model.Decimal{}, false
}

// rounded returns a number with as many digits as a rate.
func rounded(f float64) (model.Decimal, bool) {
	d, err := model.ParseDecimal(strconv.FormatFloat(f, 'g', rateDigits, 64))
	return d, err == nil
}

// rowEvent returns a row as an event. A row that cannot be decoded is an unreadable one.
func rowEvent(row *rollup.Row) model.Event {
	e := model.Event{Series: row.Key.Series, Order: model.Order{At: row.Key.Start}, ExpiresAt: row.ExpiresAt}
	if item.DamagedRow(row) {
		e.Unreadable = true
		return e
	}
	add := func(name string, value model.Decimal) {
		e.Attrs = append(e.Attrs, model.Attr{Name: name, Value: model.NumberValue(value)})
	}
	add(EventsMeasure, model.NewDecimal(row.Summary.Events()))
	for _, name := range row.Summary.Names() {
		m, _ := row.Summary.Measure(name)
		figures := figure.New(m)
		for _, c := range tested {
			if value, ok := decimal(c.Value(figures)); ok {
				add(name+"."+c.Name, value)
			}
		}
	}
	e.Attrs.Sort()
	return e
}

// measureOfRows returns the measure of which a rule for groups tests a figure, "" for the number of events;
// false if it names no figure.
func measureOfRows(name string) (measure string, ok bool) {
	if name == EventsMeasure {
		return "", true
	}
	measure, column := figureOfRows(name)
	return measure, column != nil
}

// figureOfRows returns the measure and the figure of a name such as temperature.max; nil if it names none.
func figureOfRows(name string) (measure string, _ *figure.Column) {
	at := strings.LastIndexByte(name, '.')
	if at <= 0 {
		return "", nil
	}
	if i := slices.IndexFunc(tested, func(c figure.Column) bool { return c.Name == name[at+1:] }); i >= 0 {
		return name[:at], &tested[i]
	}
	return name[:at], nil
}

// unit returns the unit of the values that a rule tests: of its measure, or of the measure whose figure it
// tests. A number of events or values has none.
func (s *Service) unit(r *storage.Rule) string {
	kind, declared := s.Catalog.Kind(r.Kind)
	if !declared {
		return ""
	}
	if kind.GroupsOf == "" {
		return kind.Unit(r.Measure)
	}
	if measure, column := figureOfRows(r.Measure); column != nil && !column.Counts {
		return kind.Unit(measure)
	}
	return ""
}

func figureNames() string {
	return strings.Join(lists.Map(tested, func(c figure.Column) string { return c.Name }), ", ")
}

// lookback returns how far before its addition a rule tests readings of a kind. The last closed bucket of a
// group began two buckets ago at most, and its grace.
func lookback(kind *catalog.Kind) time.Duration {
	if kind == nil || kind.GroupsOf == "" {
		return RuleLookback
	}
	finest := kind.Retention.Finest()
	return RuleLookback + 2*finest.Unit.Longest() + finest.Grace
}

// readingsKept returns how long the readings of a kind are stored.
func readingsKept(kind *catalog.Kind) time.Duration {
	if kind.GroupsOf != "" {
		return kind.Retention.Finest().Retention
	}
	return kind.Retention.Raw
}

// readingEnd returns the end of a reading of a series: of a bucket, or of an event, which has no length.
func (s *Service) readingEnd(series model.Series, at model.Time) model.Time {
	if kind := s.groupKind(series.Kind); kind != nil {
		return kind.Retention.Finest().Unit.BucketAt(at).End
	}
	return at
}
