package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/transform"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// memberMap says which members of objects become which fields, as a ColumnMap does for the columns of a
// table. The zero value leaves objects as they are.
type memberMap struct {
	fields    map[string]string // by the names of members, or the paths of nested ones: device.id
	only      bool              // other members are left out
	constants []byte            // members that each object has in addition, with a comma behind each
}

// objects is the beginning of a text of JSON objects, or of an array of them.
var objects = regexp.MustCompile(`^\s*(?:\[\s*)?\{\s*["}]`)

// mapMembers returns how the members of a file are read, whose beginning is start. Objects without the fields
// of the API are read as rows of a table are: a member is the subject or the time by its name, unless the
// user says which it is.
func (in Input) mapMembers(name string, start []byte) (m memberMap, err error) {
	found := memberNames(start)
	if len(found) == 0 {
		return m, nil
	}
	folders := findFolders(name, found)
	for _, f := range folders {
		found = append(found, f.name)
	}
	m.fields = map[string]string{}
	for _, c := range in.Columns {
		if !slices.Contains(found, c.header) && !hasPath(start, c.header) {
			return m, usererr.Errorf("%s: --map: no object has a member %s: the members are %s%s; "+
				"one within another is MEMBER.NAME", name, Quote(c.header), quoteAll(found),
				names.DidYouMean(c.header, found))
		}
		m.fields[c.header] = c.field
	}
	m.only = in.Columns.isWhole(in.Kind, in.Shape.Constants)
	for _, field := range slices.Sorted(maps.Keys(in.Shape.Constants)) {
		value, _ := json.Marshal(in.Shape.Constants[field]) // strings cannot fail
		m.constants = append(append(appendName(m.constants, field), value...), ',')
	}
	if !m.only {
		err = m.guess(in, found)
	}
	m.addFolders(folders)
	if err == nil && len(m.fields) > 0 && in.Notice != nil {
		in.Notice(m.describe(name))
	}
	return m, err
}

// addFolders gives each object the values of the partitions in the path of the file, as text. The parts of a
// time are not used, but where the user maps them.
func (m *memberMap) addFolders(folders []folder) {
	for _, f := range folders {
		field, mapped := m.fields[f.name]
		if !mapped {
			field = f.name
		}
		if mapped || !m.only && !f.isCalendar() {
			value, _ := json.Marshal(f.value) // strings cannot fail
			m.constants = append(append(appendName(m.constants, field), value...), ',')
		}
	}
}

// memberNames returns the names of the members of the objects at the beginning of a text, in their order.
func memberNames(start []byte) (found []string) {
	for object := range sampleObjects(start) {
		for _, f := range ingest.DecodeObject(object).Fields {
			if !slices.Contains(found, f.Name) {
				found = append(found, f.Name)
			}
		}
	}
	return found
}

// sampleObjects returns the objects at the beginning of a text, without the types of databases.
func sampleObjects(start []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		text := json.NewDecoder(transform.NewReader(bytes.NewReader(start), &jsonscan.NotNumbers{}))
		if bytes.HasPrefix(bytes.TrimSpace(start), []byte("[")) {
			_, _ = text.Token() // the reader of the file says what is wrong
		}
		for range sampleRows {
			var object json.RawMessage
			if text.Decode(&object) != nil || !yield(withoutTypes(object)) {
				return
			}
		}
	}
}

// guess finds the members that identify an observation by their names, unless the objects have the subject
// and the time as the API has them.
func (m *memberMap) guess(in Input, found []string) error {
	has := func(field string) bool {
		_, constant := in.Shape.Constants[field]
		return constant || in.Columns.has(field) || slices.Contains(found, field)
	}
	if has(in.Kind.Subject.Field) && has(catalog.TimeField) {
		return nil
	}
	for _, short := range []string{"subject", "stream", "time", "id"} {
		field := shortNames(in.Kind)[short]
		others := slices.DeleteFunc(named(found, titles(in.Kind, short)), func(member string) bool {
			_, mapped := m.fields[member]
			return mapped
		})
		switch {
		case has(field), len(others) == 0, short == "id" && in.Kind.IDs == catalog.MintedID:
		case len(others) > 1:
			return usererr.Errorf("the members %s may be the %s: pass --map %s=MEMBER with one of them",
				quoteAll(others), short, short)
		default:
			m.fields[others[0]] = field
		}
	}
	return nil
}

// titles returns the name of the member that becomes a field; none if the field has its own.
func (m *memberMap) titles(field string) (names []string) {
	for member, of := range m.fields {
		if of == field {
			names = append(names, member)
		}
	}
	return names
}

func (m *memberMap) describe(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: objects\n", name)
	for _, member := range slices.Sorted(maps.Keys(m.fields)) {
		fmt.Fprintf(&b, "  %-12s from the member %s\n", m.fields[member], Quote(member))
	}
	return b.String()
}
