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

// role says what a field of a model is for. A field may be a dimension and distinct
// at once; every other role stands alone.
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
	versionRole // refused: the word is known so that the mistake has a name
	deletedRole // refused likewise
)

const (
	keyRoles  = subjectRole | streamRole | idRole
	attrRoles = measureRole | fieldRole | enrichmentRole | dimensionRole | distinctRole
)

var roleWords = map[string]role{
	"subject": subjectRole, "stream": streamRole, "time": timeRole, "id": idRole,
	"measure": measureRole, "field": fieldRole, "enrichment": enrichmentRole,
	"dimension": dimensionRole, "distinct": distinctRole,
	"version": versionRole, "deleted": deletedRole,
}

// column is one tagged field of a model.
type column struct {
	goName string
	index  []int // as reflect.Value.FieldByIndex takes it
	name   string
	roles  role
	typ    reflect.Type

	scale       int // unsaid where the tag leaves it to the row
	percentiles bool
	top         int // unsaid where the tag leaves it to the row
}

// unsaid is the value of an option that a tag does not give.
const unsaid = -1

func (c column) is(r role) bool { return c.roles&r != 0 }

// readTags lists the tagged fields of a struct, those of embedded structs included,
// and what is wrong with their tags. Fields without a tag are nobody's business.
func readTags(model reflect.Type) (columns []column, mistakes []*Error) {
	for _, f := range reflect.VisibleFields(model) {
		tag := f.Tag.Get("tide")
		if tag == "" || tag == "-" {
			continue
		}
		c, err := readTag(f, tag)
		if err == nil && throughPointer(model, f.Index) {
			err = fmt.Errorf("the field lies in a struct embedded by pointer, which may be nil: embed it by value")
		}
		if err != nil {
			mistakes = append(mistakes, &Error{Code: TagUnreadable, Model: model.Name(), Field: f.Name, Message: err.Error()})
			continue
		}
		columns = append(columns, c)
	}
	return columns, mistakes
}

func readTag(f reflect.StructField, tag string) (column, error) {
	c := column{goName: f.Name, index: f.Index, name: defaultName(f), typ: f.Type, scale: unsaid, top: unsaid}
	if !f.IsExported() {
		return c, fmt.Errorf("the field is not exported, so it can be neither read nor set: export it or remove the tag")
	}
	for word := range strings.SplitSeq(tag, ",") {
		if err := c.read(strings.TrimSpace(word)); err != nil {
			return c, err
		}
	}
	return c, c.consistent()
}

// read takes one word of a tag: a role, a flag or an option.
func (c *column) read(word string) (err error) {
	if r, ok := roleWords[word]; ok {
		c.roles |= r
		return nil
	}
	option, value, _ := strings.Cut(word, "=")
	switch {
	case word == "percentiles":
		c.percentiles = true
	case option == "name" && value != "":
		c.name = value
	case option == "scale":
		c.scale, err = wholeNumber(value)
	case option == "top":
		c.top, err = wholeNumber(value)
	default:
		err = errors.New("neither a role nor an option: want subject, stream, time, id, measure, field, enrichment, dimension or distinct, and name=, scale=, percentiles, top=")
	}
	if err != nil {
		return fmt.Errorf("%q: %w", word, err)
	}
	return nil
}

func wholeNumber(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return unsaid, errors.New("want a whole number")
	}
	return int(n), nil
}

// consistent refuses roles that exclude each other and options of another role. The
// roles that make a mistake of its own code are left to the checks.
func (c *column) consistent() error {
	attrs := c.roles & attrRoles
	single := attrs&(attrs-1) == 0 || attrs == dimensionRole|distinctRole
	switch {
	case c.roles == 0:
		return fmt.Errorf("the tag names no role: say what the field is for")
	case !single:
		return fmt.Errorf("the tag names roles that exclude each other: only dimension and distinct go together")
	case attrs != 0 && attrs != enrichmentRole && c.is(keyRoles|timeRole):
		return fmt.Errorf("a part of the key or the time cannot be an attribute too: use two fields")
	case !c.is(measureRole) && (c.scale != unsaid || c.percentiles):
		return fmt.Errorf("scale and percentiles belong to a measure")
	case !c.is(dimensionRole) && c.top != unsaid:
		return fmt.Errorf("top belongs to a dimension")
	}
	return nil
}

// defaultName is the attribute a field is stored under when its tag gives none: the
// name of its json tag, else its Go name with a small first letter, capitals in a row
// being one word: temperature, accountId for AccountID, httpStatus for HTTPStatus.
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
