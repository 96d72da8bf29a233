package formats

import (
	"cmp"
	"errors"

	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// isWrapped returns an error for a file of one object that is no observation, and has them in it: in a list,
// as responses of APIs and GeoJSON have them, or in columns, as pandas writes them by default.
func (in Input) isWrapped(o Observation) error {
	object := ingest.DecodeObject(o.Body)
	for _, f := range object.Fields {
		switch f.Name {
		case catalog.TimeField, in.Kind.Subject.Field:
			if f.Form == ingest.NestedForm {
				return usererr.Errorf("%s: %s %w", o.Location, f.Name, in.nestedIdentity(f))
			}
			return nil
		}
	}
	if path, _ := longestList(object.Fields, ""); path != "" && in.Source == "" {
		return usererr.Errorf("%s: the observations are in the list %[2]s of one object: take them out, such as "+
			"with jq -c '%[2]s[]' FILE", o.Location, path)
	}
	if path, name := in.timeColumn(object.Fields, ""); name != "" && in.Source == "" {
		return usererr.Errorf("%s: %s.%s has the times of all rows: write one object for each row, such as "+
			"with jq -c '%[4]s as $all | range($all.%[3]s | length) as $row | "+
			"$all | map_values(.[$row])' FILE",
			o.Location, path, name, cmp.Or(path, "."))
	}
	return nil
}

// isListed returns an error for a file of one list whose elements are lists: of objects, as responses of Home
// Assistant have them, or of the values of a row.
func isListed(o Observation) error {
	if !jsonscan.Is(o.Body, 0, '[') {
		return nil
	}
	if jsonscan.Is(o.Body, jsonscan.Space(o.Body, 1), '{') {
		return usererr.Errorf("%s: the observations are in lists within one list: take them out, such as "+
			"with jq -c '.[][]' FILE", o.Location)
	}
	return usererr.Errorf("%s: the rows are lists: write one object for each, such as with "+
		"jq -c '.[] | {device: .[0], time: .[1], temperature: .[2]}' FILE", o.Location)
}

// timeColumn returns the path of an object that has the times of all rows in a list, and the name of the
// list; "" if there is none.
func (in Input) timeColumn(fields []ingest.Field, path string) (object, name string) {
	for _, f := range fields {
		switch {
		case f.Form != ingest.NestedForm:
		case f.Text[0] == '[' && len(named([]string{f.Name}, titles(in.Kind, "time"))) > 0:
			return path, f.Name
		case f.Text[0] == '{':
			inner := ingest.DecodeObject([]byte(f.Text)).Fields
			if object, name = in.timeColumn(inner, path+"."+f.Name); name != "" {
				return object, name
			}
		}
	}
	return "", ""
}

// nestedIdentity returns what is wrong with a subject or time that is an object or a list.
func (in Input) nestedIdentity(f ingest.Field) error {
	members := ingest.DecodeObject([]byte(f.Text)).Fields
	if len(members) == 0 || timetext.IsNumber(members[0].Name) { // pandas numbers the rows
		return errColumns
	}
	short := "time"
	if f.Name == in.Kind.Subject.Field {
		short = "subject"
	}
	return usererr.Errorf("is an object: name the member that it is, such as --map %s=MEMBER.%s, "+
		"if MEMBER is the object's name in the file", short, members[0].Name)
}

var errColumns = errors.New("has the values of all rows: write one object for each row, in pandas with " +
	"to_json(orient='records', lines=True)")

// longestList returns the path of the longest list of objects or lists in a file, as jq has it, and its
// length; "" if there is none. A shorter one may describe the columns.
func longestList(fields []ingest.Field, path string) (longest string, length int) {
	for _, f := range fields {
		if f.Form != ingest.NestedForm {
			continue
		}
		inner := path + "." + f.Name
		text := []byte(f.Text)
		element := jsonscan.Space(text, 1)
		switch {
		case text[0] == '[' && (jsonscan.Is(text, element, '{') || jsonscan.Is(text, element, '[')):
			if len(text) > length {
				longest, length = inner, len(text)
			}
		case text[0] == '{':
			members := ingest.DecodeObject(text)
			if found, n := longestList(members.Fields, inner); n > length {
				longest, length = found, n
			}
		}
	}
	return longest, length
}
