package timeseries

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// checker gathers the mistakes of one model.
type checker struct {
	model    string
	columns  []column
	mistakes []*Error
}

func (c *checker) wrong(code Code, field, format string, args ...any) {
	c.mistakes = append(c.mistakes, &Error{Code: code, Model: c.model, Field: field, Message: fmt.Sprintf(format, args...)})
}

// find is the one column of a role; nil where there is none. A second one is a mistake.
func (c *checker) find(r role) (found *column) {
	for i := range c.columns {
		switch {
		case !c.columns[i].is(r):
		case found == nil:
			found = &c.columns[i]
		default:
			c.wrong(TagUnreadable, c.columns[i].goName, "the field %s has this role already: a model has one of it", found.goName)
		}
	}
	return found
}

// order checks the field that orders the series.
func (c *checker) order() {
	order := c.find(timeRole)
	if order == nil {
		c.wrong(OrderMissing, "", `no field orders the events: tag the event's own time with tide:"time"`)
		return
	}
	if order.is(keyRoles) {
		c.wrong(OrderIsKey, order.goName, "the field that orders events is part of the key: each event would be a series of its own; use two fields")
	}
	switch {
	case order.is(enrichmentRole):
		c.wrong(AppendLacksKey, order.goName, "append never writes enrichment, so it would have no time: remove the enrichment role")
	case order.typ.Kind() == reflect.Pointer || order.typ.Kind() == reflect.Interface:
		c.wrong(OrderIsReference, order.goName, "the field that orders events is a reference and may be nil: use time.Time or model.Time by value")
	case order.typ != timeType && order.typ != modelTimeType:
		c.wrong(TypeUnfit, order.goName, "%s is no time: use time.Time or model.Time", order.typ)
	}
}

// key checks the fields that say which series and which event.
func (c *checker) key(kind *catalog.Kind) {
	subject := c.find(subjectRole)
	if subject == nil {
		c.wrong(AppendLacksKey, "", `no field says what is observed: tag the subject's id with tide:"subject"`)
	}
	id := c.find(idRole)
	if id == nil && kind.IDs == catalog.RequiredID {
		c.wrong(AppendLacksKey, "", `kind %s requires an id of every event: tag it with tide:"id"`, kind.Name)
	}
	for _, part := range []*column{subject, c.find(streamRole), id} {
		switch {
		case part == nil:
		case part.is(enrichmentRole):
			c.wrong(AppendLacksKey, part.goName, "append never writes enrichment, so the key would lack this part: remove the enrichment role")
		case part.typ.Kind() != reflect.String && !part.is(timeRole):
			c.wrong(TypeUnfit, part.goName, "%s cannot be part of a key: use a string", part.typ)
		}
	}
}

// lifecycle refuses what belongs to entities that are edited, not appended to.
func (c *checker) lifecycle() {
	if version := c.find(versionRole); version != nil {
		c.wrong(Versioned, version.goName, "a time series is ordered by event time and keeps every event: it has no version number; remove the field, or keep the profile of the subject versioned instead")
	}
	if deleted := c.find(deletedRole); deleted != nil {
		c.wrong(SoftDeleted, deleted.goName, "an append to a softly deleted item would bring it back: delete the profile of the subject instead, and remove the field")
	}
}

// attributes checks the names and the Go types of what is stored beside the key.
func (c *checker) attributes(kind *catalog.Kind) {
	seen := map[string]string{}
	taken := []string{catalog.TimeField, catalog.StreamField, catalog.IDField, kind.Subject.Field}
	for _, column := range c.columns {
		if column.roles&^attrRoles != 0 {
			continue
		}
		switch other, twice := seen[column.name]; {
		case column.name == "" || len(column.name) > catalog.MaxName:
			c.wrong(TagUnreadable, column.goName, "the name %.64q is empty or longer than %d bytes", column.name, catalog.MaxName)
		case keys.Reserved(column.name) || slices.Contains(taken, column.name):
			c.wrong(TagUnreadable, column.goName, "the name %q is taken by the table: give another with name=", column.name)
		case twice:
			c.wrong(TagUnreadable, column.goName, "the field %s is stored under %q already: give another name with name=", other, column.name)
		}
		seen[column.name] = column.goName
		if allowed := typesOf(column.roles); !allowed(column.typ) {
			c.wrong(TypeUnfit, column.goName, "%s cannot hold a %s: see the types each role takes", column.typ, roleName(column.roles))
		}
	}
}

var (
	timeType      = reflect.TypeFor[time.Time]()
	modelTimeType = reflect.TypeFor[model.Time]()
	decimalType   = reflect.TypeFor[model.Decimal]()
)

// typesOf tells the Go types a role takes, by value or by pointer: a measure any
// number, a field anything else, dimension and distinct strings, enrichment all.
func typesOf(roles role) func(reflect.Type) bool {
	return func(t reflect.Type) bool {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		form := formOf(t)
		switch {
		case roles&measureRole != 0:
			return form.number()
		case roles&fieldRole != 0:
			return form != noForm && !form.number()
		case roles&enrichmentRole != 0:
			return form != noForm
		default:
			return form == textForm
		}
	}
}

func roleName(roles role) string {
	for _, word := range []string{"measure", "field", "enrichment", "dimension", "distinct"} {
		if roles&roleWords[word] != 0 {
			return word
		}
	}
	return ""
}
