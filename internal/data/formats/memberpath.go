package formats

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
)

// hasPath reports whether an object at the beginning of a text has a member at a path, such as device.id.
func hasPath(start []byte, path string) bool {
	for object := range sampleObjects(start) {
		if objectHasPath(object, path) {
			return true
		}
	}
	return false
}

func objectHasPath(object []byte, path string) bool {
	for _, f := range ingest.DecodeObject(object).Fields {
		rest, isAbove := strings.CutPrefix(path, f.Name+".")
		if f.Name == path || isAbove && f.Form == ingest.NestedForm && objectHasPath([]byte(f.Text), rest) {
			return true
		}
	}
	return false
}

// apply returns an object with the names of fields in place of the names of members. A member within another
// object moves out of it.
func (m *memberMap) apply(object []byte) []byte {
	if len(m.fields) == 0 && len(m.constants) == 0 || ingest.DecodeObject(object).DecodeError != nil {
		return object
	}
	read := append([]byte("{"), m.constants...)
	read, _ = m.appendMembers(read, object, "")
	return append(bytes.TrimSuffix(read, []byte(",")), '}')
}

// appendMembers appends the fields of an object at a path to read, with a comma behind each. Its other
// members are appended too if it is at no path, and returned otherwise.
func (m *memberMap) appendMembers(read, object []byte, path string) (_, others []byte) {
	at, more := jsonscan.Sibling(object, jsonscan.Space(object, 0)+1, true, '}')
	for more {
		name, value := jsonscan.Name(object, at)
		end := jsonscan.Skip(object, value)
		kept := object[at:end]
		inner := path + string(name.Bytes)
		field, mapped := m.fields[inner]
		switch {
		case mapped:
			read = append(append(appendName(read, field), object[value:end]...), ',')
			kept = nil
		case jsonscan.Is(object, value, '{') && m.isWithin(inner+"."):
			var rest []byte
			read, rest = m.appendMembers(read, object[value:end], inner+".")
			rest = bytes.TrimSuffix(rest, []byte(","))
			kept = slices.Concat(object[at:value], []byte("{"), rest, []byte("}"))
		}
		switch {
		case m.only, kept == nil:
		case path == "":
			read = append(append(read, kept...), ',')
		default:
			others = append(append(others, kept...), ',')
		}
		at, more = jsonscan.Sibling(object, end, false, '}')
	}
	return read, others
}

// isWithin reports whether a field comes from a member below a path.
func (m *memberMap) isWithin(path string) bool {
	for member := range m.fields {
		if strings.HasPrefix(member, path) {
			return true
		}
	}
	return false
}

// appendName appends the name of a member of an object in JSON.
func appendName(b []byte, field string) []byte {
	name, _ := json.Marshal(field) // strings cannot fail
	return append(append(b, name...), ':')
}
