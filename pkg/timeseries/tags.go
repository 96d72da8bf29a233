package timeseries

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// role is the purpose of a field. A field may be a dimension and distinct at once; no other roles combine.
type role uint16

const (
	subjectRole role = 1 << iota
	streamRole
	timeRole
	idRole
	measureRole
	fieldRole
	enrichmentRole
	dimensionRole
	distinctRole
	versionRole // rejected with its own code
	deletedRole // likewise
	arrivedRole // filled in by reads, never written
	lateRole    // likewise
	createdRole // likewise
	orderRole   // orders the events in place of a time
)

const (
	keyRoles  = subjectRole | streamRole | idRole
	readRoles = arrivedRole | lateRole | createdRole
	attrRoles = measureRole | fieldRole | enrichmentRole | dimensionRole | distinctRole | orderRole
)

var roleWords = map[string]role{
	"subject": subjectRole, "stream": streamRole, "time": timeRole, "id": idRole, "order": orderRole,
	"measure": measureRole, "field": fieldRole, "enrichment": enrichmentRole,
	"dimension": dimensionRole, "distinct": distinctRole,
	"version": versionRole, "deleted": deletedRole,
	"arrived": arrivedRole, "late": lateRole, "created": createdRole,
}

// column is one tagged field of a model.
type column struct {
	goName string
	index  []int // for reflect.Value.FieldByIndex
	name   string
	roles  role
	typ    reflect.Type

	scale       int // unset if the tag omits it
	percentiles bool
	counter     bool
	wrap        int // 0 if the tag omits it
	timeMean    bool
	top         int // unset if the tag omits it
}

// unset is the value of an option that a tag omits.
const unset = -1

func (c column) is(r role) bool { return c.roles&r != 0 }

// form returns the form in which the column stores its values, or compares them with one of type t. What is
// summarised, or orders events, is a number or a string also if its type has MarshalText.
func (c *column) form(t reflect.Type) form {
	f := formFor(t)
	if f != marshaledForm || !c.is(measureRole|orderRole) {
		return f
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return kindForms[t.Kind()]
}

// readTags returns the tagged fields of a struct and of its embedded structs, and the mistakes in
// their tags. It ignores fields without a tag.
func readTags(model reflect.Type) (columns []column, mistakes []*Error) {
	mistakes = ambiguousTags(model)
	for _, f := range reflect.VisibleFields(model) {
		tag, err := f.Tag.Get("tide"), checkTagText(f.Tag)
		if err == nil && (tag == "" || tag == "-") {
			continue
		}
		var c column
		if err == nil {
			c, err = readTag(f, tag)
		}
		if err == nil && throughPointer(model, f.Index) {
			err = fmt.Errorf("the field is in a struct embedded by pointer, which may be nil: embed it by value")
		}
		if err != nil {
			mistakes = append(mistakes,
				&Error{Code: TagUnreadable, Model: model.Name(), Field: f.Name, Message: err.Error()})
			continue
		}
		columns = append(columns, c)
	}
	return columns, mistakes
}

func readTag(f reflect.StructField, tag string) (column, error) {
	c := column{goName: f.Name, index: f.Index, name: defaultName(f), typ: f.Type, scale: unset, top: unset}
	if !f.IsExported() {
		return c, fmt.Errorf("the field is not exported: export it, or remove the tag")
	}
	seen := map[string]bool{}
	for word := range strings.SplitSeq(tag, ",") {
		word = strings.TrimSpace(word)
		name, _, _ := strings.Cut(word, "=")
		if seen[name] {
			return c, fmt.Errorf("%q: the tag has %s twice: remove one", word, name)
		}
		seen[name] = true
		if err := c.read(word); err != nil {
			return c, err
		}
	}
	return c, c.consistent()
}

// read parses one word of a tag: a role, a flag or an option.
func (c *column) read(word string) (err error) {
	if r, ok := roleWords[word]; ok {
		c.roles |= r
		return nil
	}
	option, value, _ := strings.Cut(word, "=")
	switch {
	case word == "percentiles":
		c.percentiles = true
	case word == "counter":
		c.counter = true
	case word == "mean=time":
		c.timeMean = true
	case option == "wrap":
		c.wrap, err = wholeNumber(value)
	case option == "name" && value != "":
		c.name = value
	case option == "scale":
		c.scale, err = wholeNumber(value)
	case option == "top":
		c.top, err = wholeNumber(value)
	default:
		err = errors.New("not a role or an option: want subject, stream, time, order, id, measure, " +
			"field, enrichment, dimension, distinct, arrived, late or created, and name=, scale=, " +
			"percentiles, counter, wrap=, mean=time, top=")
	}
	if err != nil {
		return fmt.Errorf("%q: %w", word, err)
	}
	return nil
}

func wholeNumber(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return unset, errors.New("want a whole number")
	}
	return int(n), nil
}

// consistent rejects roles that exclude each other and options of other roles. checker reports
// roles that have a code of their own.
func (c *column) consistent() error {
	attrs := c.roles & attrRoles
	single := attrs&(attrs-1) == 0 || attrs == dimensionRole|distinctRole
	switch {
	case c.roles == 0:
		return fmt.Errorf("the tag has no role: add one")
	case !single:
		return fmt.Errorf("the tag has roles that exclude each other: only dimension and distinct combine")
	case attrs != 0 && attrs != enrichmentRole && c.is(keyRoles|timeRole):
		return fmt.Errorf("a part of the key, or the time, cannot be an attribute as well: use two fields")
	case c.is(readRoles) && c.roles&(c.roles-1) != 0:
		return fmt.Errorf("arrived, late and created are only read: a field with one of them has no other role")
	case !c.is(measureRole) && (c.scale != unset || c.percentiles || c.counter || c.wrap != 0 || c.timeMean):
		return fmt.Errorf("scale, percentiles, counter, wrap and mean are options of a measure")
	case !c.is(dimensionRole) && c.top != unset:
		return fmt.Errorf("top is an option of a dimension")
	}
	return nil
}

// defaultName returns the attribute name of a field whose tag gives none: the name in its json
// tag, or else its Go name with a lower-case first letter. A run of capitals counts as one
// word: temperature, accountId for AccountID, httpStatus for HTTPStatus.
func defaultName(f reflect.StructField) string {
	if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
		return name
	}
	given := []rune(f.Name)
	made := slices.Clone(given)
	for i, r := range given {
		inWord := i > 0 && unicode.IsUpper(given[i-1])
		endsRun := i+1 < len(given) && unicode.IsLower(given[i+1])
		if i == 0 || inWord && !endsRun {
			made[i] = unicode.ToLower(r)
		}
	}
	return string(made)
}

func throughPointer(model reflect.Type, index []int) bool {
	for i := 1; i < len(index); i++ {
		if model.FieldByIndex(index[:i]).Type.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}
