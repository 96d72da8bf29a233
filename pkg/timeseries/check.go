package timeseries

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// checker collects the mistakes of one model.
type checker struct {
	model    string
	sources  []catalog.Kind // of sessions
	columns  []column
	mistakes []*Error
}

func (c *checker) report(code Code, field, format string, args ...any) {
	c.mistakes = append(c.mistakes,
		&Error{Code: code, Model: c.model, Field: field, Message: fmt.Sprintf(format, args...)})
}

// find returns the only column of a role; nil if there is none. A second one is a mistake.
func (c *checker) find(r role) (found *column) {
	for i := range c.columns {
		switch {
		case !c.columns[i].is(r):
		case found == nil:
			found = &c.columns[i]
		default:
			c.report(TagUnreadable, c.columns[i].goName,
				"the field %s already has this role: a model has only one such field", found.goName)
		}
	}
	return found
}

// order checks the field that orders the events: their time, or a value that the kind, unless
// it says so already, is ordered by.
func (c *checker) order(kind *catalog.Kind) {
	order := c.find(timeRole)
	if value := c.find(orderRole); value != nil || kind.OrderBy != "" {
		c.orderValue(kind, value, order)
		return
	}
	if order == nil {
		c.report(OrderMissing, "",
			`no field orders the events: tag the time of the event with tide:"time", `+
				`or a number or text with tide:"order"`)
		return
	}
	if order.is(keyRoles) {
		c.report(OrderIsKey, order.goName,
			"the field that orders events is part of the key: each event would be its own series; use two fields")
	}
	switch {
	case order.is(enrichmentRole):
		c.report(AppendLacksKey, order.goName,
			"append never writes enrichment, so events would have no time: remove the enrichment role")
	case order.typ.Kind() == reflect.Pointer || order.typ.Kind() == reflect.Interface:
		c.report(OrderIsReference, order.goName,
			"the field that orders events is a reference and may be nil: use time.Time by value")
	case order.typ != timeType:
		c.report(TypeUnfit, order.goName, "%s is not a time: use time.Time", order.typ)
	}
}

// orderValue checks the field that orders events in place of their time.
func (c *checker) orderValue(kind *catalog.Kind, value, at *column) {
	switch {
	case value == nil:
		c.report(OrderMissing, "", `kind %s is ordered by %s: tag that field with tide:"order"`, kind.Name,
			kind.OrderBy)
		return
	case at != nil:
		c.report(TagUnreadable, at.goName,
			"events are ordered by %s and have no time: remove one of the roles time and order, "+
				"or keep the time in a field", value.goName)
	case value.typ.Kind() == reflect.Pointer:
		c.report(OrderIsReference, value.goName,
			"the field that orders events is a reference and may be nil: use it by value")
	}
	if kind.OrderBy == "" {
		kind.OrderBy, kind.OrderType = value.name, catalog.TextOrder
		if value.form(value.typ).number() {
			kind.OrderType = catalog.NumberOrder
		}
	}
	if number := value.form(value.typ).number(); number != (kind.OrderType == catalog.NumberOrder) {
		c.report(RowDiffers, value.goName, "kind %s is ordered by a %s, and %s is none: change one of them",
			kind.Name, kind.OrderType, value.typ)
	}
}

// key checks the fields that identify the series and the event.
func (c *checker) key(kind *catalog.Kind) {
	subject := c.find(subjectRole)
	if subject == nil {
		c.report(AppendLacksKey, "", `no field identifies the subject: tag the subject's id with tide:"subject"`)
	}
	id := c.find(idRole)
	if id == nil && kind.IDs == catalog.RequiredID {
		c.report(AppendLacksKey, "", `kind %s requires an id for every event: tag a field with tide:"id"`,
			kind.Name)
	}
	for _, part := range []*column{subject, c.find(streamRole), id} {
		switch {
		case part == nil:
		case part.is(enrichmentRole):
			c.report(AppendLacksKey, part.goName,
				"append never writes enrichment, so the key would lack this part: remove the enrichment role")
		case part.typ.Kind() != reflect.String && !part.is(timeRole):
			c.report(TypeUnfit, part.goName, "%s cannot be part of a key: use a string", part.typ)
		}
	}
}

// read checks the fields that are only read.
func (c *checker) read() {
	for _, want := range []struct {
		role role
		typ  reflect.Type
	}{{arrivedRole, timeType}, {createdRole, timeType}, {lateRole, reflect.TypeFor[bool]()}} {
		if found := c.find(want.role); found != nil && found.typ != want.typ {
			c.report(TypeUnfit, found.goName, "%s cannot hold it: use %s by value", found.typ, want.typ)
		}
	}
}

// lifecycle rejects roles of entities that are edited rather than appended to.
func (c *checker) lifecycle() {
	if version := c.find(versionRole); version != nil {
		c.report(Versioned, version.goName,
			"a time series is ordered by event time and keeps every event: remove the field, "+
				"or keep versions of the subject's profile instead")
	}
	if deleted := c.find(deletedRole); deleted != nil {
		c.report(SoftDeleted, deleted.goName,
			"an append to a soft-deleted item would restore it: remove the field, and delete the "+
				"subject's profile instead")
	}
}

// attributes checks the names and Go types of the attributes.
func (c *checker) attributes(kind *catalog.Kind) {
	seen := map[string]string{}
	reserved := []string{catalog.TimeField, catalog.StreamField, catalog.IDField, kind.Subject.Field}
	for _, column := range c.columns {
		if column.roles&^attrRoles != 0 {
			continue
		}
		switch other, twice := seen[column.name]; {
		case column.name == "" || len(column.name) > catalog.MaxName:
			c.report(TagUnreadable, column.goName, "the name %.64q is empty or longer than %d bytes", column.name,
				catalog.MaxName)
		case keys.Reserved(column.name) || slices.Contains(reserved, column.name):
			c.report(TagUnreadable, column.goName, "the name %q is reserved by the table: give another with name=",
				column.name)
		case twice:
			c.report(TagUnreadable, column.goName,
				"the field %s is stored under %q already: give another name with name=", other, column.name)
		}
		seen[column.name] = column.goName
		if !column.allows(column.typ) {
			c.report(TypeUnfit, column.goName, "%s cannot hold a %s: see the types that each role accepts", column.typ,
				roleName(column.roles))
		}
	}
}

// compileProfile returns the layout of a type of profiles and the complete declaration of these,
// or all mistakes.
func compileProfile(t reflect.Type, subject catalog.SubjectType) (*layout, catalog.Profile, error) {
	c := checker{model: t.String()}
	if t.Kind() != reflect.Struct {
		c.report(AppendMissing, "", "a %s has no fields to store: want a struct with tide tags", t.Kind())
		return nil, catalog.Profile{}, c.err()
	}
	c.columns, c.mistakes = readTags(t)
	if c.find(subjectRole) == nil {
		c.report(AppendLacksKey, "", `no field identifies the subject: tag the subject's id with tide:"subject"`)
	}
	fields := map[string]form{}
	for _, column := range c.columns {
		_, twice := fields[column.name]
		switch {
		case column.is(subjectRole) && column.typ.Kind() != reflect.String ||
			column.is(fieldRole) && formFor(column.typ) == noForm:
			c.report(TypeUnfit, column.goName,
				"%s cannot hold it: an id is a string, a field is a string, boolean, time, number, list, "+
					"map or struct, or has MarshalText and UnmarshalText", column.typ)
		case column.is(subjectRole):
			continue
		case !column.is(fieldRole) || twice || reserved.InProfile(column.name):
			c.report(TagUnreadable, column.goName,
				"%q is not a field, or its name is reserved or used twice: tag it as field, "+
					"or give another name with name=", column.name)
		}
		fields[column.name] = formFor(column.typ)
	}
	// a kind validates its subject
	kind := c.complete(catalog.Kind{Name: subject.Name, Path: "profile", Subject: subject})
	if kind == nil || kind.Subject.Profile == nil {
		return newLayout(c.columns), catalog.Profile{}.Complete(), c.err()
	}
	sorted := c.checkSorts(kind.Subject.Profile, fields)
	for _, f := range kind.Subject.Profile.Fields() {
		switch form := fields[f.Name]; {
		case sorted[f.Path], form == textForm, form == marshaledForm,
			strings.HasPrefix(f.Path, "unique.") && form != noForm && form != nestedForm:
		default:
			c.report(RowDiffers, "",
				"the profile of %s has %s, but the type has no such field that is a string: "+
					"add one, or remove the declaration", subject.Name, f.Path)
		}
	}
	return newLayout(c.columns), *kind.Subject.Profile, c.err()
}

// sortForms are the forms of fields that indexes sort by, by type. Stored times are texts that sort as times.
var sortForms = map[catalog.OrderType][]form{
	catalog.TextOrder:   {textForm, marshaledForm, timeForm},
	catalog.NumberOrder: {decimalForm, floatForm, intForm, uintForm},
	catalog.TimeOrder:   {timeForm, textForm},
}

// checkSorts reports fields whose values an index cannot sort, and returns the paths of fields that sort.
func (c *checker) checkSorts(p *catalog.Profile, fields map[string]form) (paths map[string]bool) {
	paths = map[string]bool{}
	for _, x := range p.Indexes {
		path := "indexes." + x.Field + ".sort"
		paths[path] = true
		for _, name := range x.Sort {
			want := x.SortType(name)
			switch form, has := fields[name]; {
			case !has:
				c.report(RowDiffers, "",
					"%s names %s, but the type has no such field: add one, or remove it from the index",
					path, name)
			case !slices.Contains(sortForms[want], form):
				c.report(RowDiffers, "",
					"%s has %s as a %s, but the field of the type has no such values, or none with an order: "+
						"name its type in Types, or sort by another field",
					path, name, want)
			}
		}
	}
	return paths
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	decimalType = reflect.TypeFor[model.Decimal]()
)

// allows reports whether the column's role accepts a Go type, by value or pointer: a measure accepts numbers,
// a field everything else, dimension and distinct texts, enrichment all.
func (c *column) allows(t reflect.Type) bool {
	form := c.form(t)
	switch {
	case form == nestedForm:
		return false
	case c.is(measureRole):
		return form.number()
	case c.is(fieldRole):
		return form != noForm && !form.number()
	case c.is(enrichmentRole):
		return form != noForm
	case c.is(orderRole):
		return form.number() || form == textForm
	default:
		return form == textForm || form == marshaledForm
	}
}

func roleName(roles role) string {
	for _, word := range []string{"measure", "field", "enrichment", "dimension", "distinct", "order"} {
		if roles&roleWords[word] != 0 {
			return word
		}
	}
	return ""
}
