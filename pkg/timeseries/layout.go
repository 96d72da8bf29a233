package timeseries

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// layout maps the parts of an event to the fields of a model.
type layout struct {
	subject                *column
	time                   *column // nil if another field orders the events
	orderBy                string  // the stored name of that field
	stream, id             *column // nil if the model has none
	arrived, late, created *column // likewise
	attrs                  []column
}

func newLayout(columns []column) *layout {
	var l layout
	for i := range columns {
		switch c := &columns[i]; {
		case c.is(subjectRole):
			l.subject = c
		case c.is(timeRole):
			l.time = c
		case c.is(streamRole):
			l.stream = c
		case c.is(idRole):
			l.id = c
		case c.is(arrivedRole):
			l.arrived = c
		case c.is(lateRole):
			l.late = c
		case c.is(createdRole):
			l.created = c
		default:
			l.attrs = append(l.attrs, *c)
		}
	}
	return &l
}

// observation returns the observation in v, a struct; or its problems.
func (l *layout) observation(v reflect.Value) (ingest.TypedObservation, []model.FieldError) {
	d := ingest.TypedObservation{Subject: l.subject.text(v), Stream: l.stream.text(v), ID: l.id.text(v)}
	var problems []model.FieldError
	at, problem := l.eventTime(v)
	if problem != nil {
		problems = append(problems, *problem)
	}
	d.At = at
	attrs, unfit := l.fields(v, false)
	d.Attrs = attrs
	return d, append(problems, unfit...)
}

// fields returns the attributes in v, without enrichment. absent includes those that are absent, as null.
func (l *layout) fields(v reflect.Value, absent bool) (fields model.Attrs, problems []model.FieldError) {
	for i := range l.attrs {
		c := &l.attrs[i]
		if c.is(enrichmentRole) {
			continue
		}
		value, ok, err := encode(v.FieldByIndex(c.index), c.form(c.typ))
		switch {
		case errors.Is(err, errYear):
			problems = append(problems,
				model.FieldError{Field: c.name, Code: ingest.CodeTimeRange, Message: err.Error()})
		case err != nil && value.Kind == model.Nested:
			problems = append(problems, model.FieldError{Field: c.name, Code: ingest.CodeNested, Message: err.Error()})
		case err != nil:
			problems = append(problems,
				model.FieldError{Field: c.name, Code: ingest.CodeNumberRange, Message: err.Error()})
		case ok:
			fields = append(fields, model.Attr{Name: c.name, Value: value})
		case absent:
			fields = append(fields, model.Attr{Name: c.name})
		}
	}
	return fields, problems
}

// orderValue returns the field that orders the events; none if their time does.
func (l *layout) orderValue(v reflect.Value) model.Attrs {
	c := l.find(l.orderBy)
	if c == nil {
		return nil
	}
	value, _, _ := encode(v.FieldByIndex(c.index), c.form(c.typ))
	return model.Attrs{{Name: c.name, Value: value}}
}

// find returns the column of a stored field; nil if there is none.
func (l *layout) find(name string) *column {
	for i := range l.attrs {
		if l.attrs[i].name == name {
			return &l.attrs[i]
		}
	}
	return nil
}

// checkAppended returns ErrField if events do not have a field. Only latest items have enrichment.
func (l *layout) checkAppended(name string) error {
	if c := l.find(name); c == nil || c.is(enrichmentRole) {
		return fmt.Errorf("%.64q: %w", name, ErrField)
	}
	return nil
}

// text returns a part of the key; "" if the model has no field for it.
func (c *column) text(v reflect.Value) string {
	if c == nil {
		return ""
	}
	return v.FieldByIndex(c.index).String()
}

// eventTime returns the time of the event, truncated to the millisecond; 0 if another field
// orders the events. The zero time.Time, in the year 1, counts as missing.
func (l *layout) eventTime(v reflect.Value) (model.Time, *model.FieldError) {
	if l.time == nil {
		return 0, nil
	}
	at := v.FieldByIndex(l.time.index).Interface().(time.Time)
	if at.Truncate(time.Millisecond).IsZero() {
		return 0, &model.FieldError{Field: catalog.TimeField, Code: ingest.CodeMissing,
			Message: "the event has no time: set it to when the event happened"}
	}
	if y := at.UTC().Year(); y < 1 || y > lastYear {
		return 0, &model.FieldError{Field: catalog.TimeField, Code: ingest.CodeTimeRange,
			Message: fmt.Sprintf("the year must be 0001 to 9999 in UTC, and is %d", y)}
	}
	return model.NewTime(at), nil
}

// setRead fills in the fields of a stored event that no append writes.
func (l *layout) setRead(v reflect.Value, e *model.Event) {
	if l.arrived != nil && e.ArrivedAt != 0 {
		v.FieldByIndex(l.arrived.index).Set(reflect.ValueOf(e.ArrivedAt.Time()))
	}
	if l.late != nil {
		v.FieldByIndex(l.late.index).SetBool(e.Late)
	}
}

// setLatest fills v, a struct, with a latest item.
func (l *layout) setLatest(v reflect.Value, c *model.Latest) error {
	if l.created != nil && c.CreatedAt != 0 {
		v.FieldByIndex(l.created.index).Set(reflect.ValueOf(c.CreatedAt.Time()))
	}
	if c.Ordered { // an item that has enrichment only is of no event
		l.setOrder(v, c.Order)
	}
	return l.setFields(v, c.Series, c.Attrs)
}

// set fills v, a struct, with a stored event.
func (l *layout) set(v reflect.Value, series model.Series, order model.Order, attrs model.Attrs) error {
	l.setOrder(v, order)
	return l.setFields(v, series, attrs)
}

// setOrder fills in the time and the id of an event.
func (l *layout) setOrder(v reflect.Value, order model.Order) {
	at, id := ordervalue.Shown(order)
	if l.id != nil {
		v.FieldByIndex(l.id.index).SetString(id)
	}
	if l.time != nil && at != nil {
		v.FieldByIndex(l.time.index).Set(reflect.ValueOf(at.Time()))
	}
}

// setFields fills in the series and the fields of an event or latest item.
func (l *layout) setFields(v reflect.Value, series model.Series, attrs model.Attrs) error {
	v.FieldByIndex(l.subject.index).SetString(series.Subject.ID)
	if l.stream != nil {
		v.FieldByIndex(l.stream.index).SetString(series.Stream)
	}
	for i := range l.attrs {
		c := &l.attrs[i]
		value, ok := attrs.Get(c.name)
		if !ok {
			continue
		}
		if err := decode(value, v.FieldByIndex(c.index), c.form(c.typ)); err != nil {
			return fmt.Errorf("%s: field %s, stored as %q: %w", series, c.goName, c.name, err)
		}
	}
	return nil
}
