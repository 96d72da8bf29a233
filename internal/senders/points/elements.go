package points

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
)

// mostElements is how many elements a list has at most that become fields of their own.
const mostElements = 16

// elements adds a field, or the elements of a short list under its name and their index, as in Power.0: a
// user of a program cannot change the form of its messages. A longer list stays a list.
func (b *builder) elements(name string, f ingest.Field) {
	var list []json.RawMessage
	isList := f.Form == ingest.NestedForm && json.Unmarshal([]byte(f.Text), &list) == nil
	if !isList || len(list) == 0 || len(list) > mostElements {
		b.field(name, f.Form, f.Text)
		return
	}
	for i, element := range list {
		b.element(name+"."+strconv.Itoa(i), element)
	}
}

// element adds an element of a list, or the members of one that is an object.
func (b *builder) element(name string, text []byte) {
	if members := ingest.DecodeObject(text); members.DecodeError == nil {
		b.Dropped = append(slices.Clip(b.Dropped), ingest.Below(name, members.Dropped)...)
		for _, m := range members.Fields {
			b.member(name+"."+m.Name, m)
		}
		return
	}
	for _, f := range ingest.DecodeObject(fmt.Appendf(nil, `{"":%s}`, text)).Fields {
		b.member(name, f)
	}
}

// member adds a field whose value may be an object or a list.
func (b *builder) member(name string, f ingest.Field) {
	if f.Form == ingest.NestedForm && f.Text[0] == '{' {
		b.element(name, []byte(f.Text))
		return
	}
	b.elements(name, f)
}
