package arguments

import (
	"encoding/json"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FieldsUse describes what Fields accepts.
const FieldsUse = "FIELD=TEXT, FIELD:=JSON (a number, true, false; in profiles also a list or a map) or " +
	"FIELD= (remove the field)"

// Fields parses FIELD=TEXT, FIELD:=JSON and FIELD=, which is null. It returns them in the order of Attrs,
// whatever the order of args; a name that is given twice is an error.
func Fields(args []string) (attrs model.Attrs, err error) {
	for _, arg := range args {
		name, text, cut := strings.Cut(arg, "=")
		name, typed := strings.CutSuffix(name, ":")
		if !cut || name == "" {
			return nil, usererr.Errorf("%q is not a field: want %s", arg, FieldsUse)
		}
		if trimmed := strings.TrimSpace(name); trimmed != name && text != "" { // a stored one is removable
			return nil, usererr.Errorf("%q has a space beside the name: write %s=%s", arg, trimmed,
				strings.TrimSpace(text))
		}
		v := model.TextValue(text)
		switch {
		case text == "":
			v = model.Value{}
		case typed && (text == "true" || text == "false"):
			v = model.BoolValue(text == "true")
		case typed && strings.ContainsAny(text[:1], "[{"):
			if !json.Valid([]byte(text)) {
				return nil, usererr.Errorf(
					"%q is not a list or a map in JSON: put it in single quotes, as in 'domains:=[\"a.example\"]'", arg)
			}
			v = model.Value{Kind: model.Nested, Text: text}
		case typed:
			number, err := model.ParseDecimal(text)
			if err != nil {
				return nil, usererr.Errorf("%q is not a field: want %s", arg, FieldsUse)
			}
			v = model.NumberValue(number)
		}
		attrs = append(attrs, model.Attr{Name: name, Value: v})
	}
	attrs.Sort()
	for i := range attrs[:max(len(attrs)-1, 0)] {
		if attrs[i].Name == attrs[i+1].Name {
			return nil, usererr.Errorf("the field %s is given twice: pass it once", attrs[i].Name)
		}
	}
	return attrs, nil
}

// FieldsText returns fields in the form that Fields parses.
func FieldsText(attrs model.Attrs) string {
	var parts []string
	for _, a := range attrs {
		switch a.Value.Kind {
		case model.Null, model.Text:
			parts = append(parts, a.Name+"="+a.Value.Text)
		default:
			parts = append(parts, a.Name+":="+a.Value.String())
		}
	}
	return strings.Join(parts, " ")
}

// Event returns the identity of the event that arguments and flags name. kind may be "" if
// the subject has one kind. The error is one of usage.
func Event(kinds *catalog.Catalog,
	subject, kind, stream, at, id string) (*catalog.Kind, model.EventKey, error) {
	of, err := Subject(subject, kinds)
	if err != nil {
		return nil, model.EventKey{}, err
	}
	var names []string
	if kind != "" {
		names = []string{kind}
	}
	found, err := Kinds(kinds, of, names)
	if err != nil {
		return nil, model.EventKey{}, err
	}
	if len(found) > 1 {
		return nil, model.EventKey{}, usererr.Errorf("%s have several kinds of event: choose one with --kind %s",
			found[0].Subject.Path, strings.Join(KindNames(found), " or --kind "))
	}
	if k := found[0]; k.GroupsOf != "" {
		err := usererr.Errorf("%s are groups, which have no events: name a subject of kind %s",
			k.Subject.Path, k.GroupsOf)
		return nil, model.EventKey{}, err
	}
	when, err := times.Parse(at)
	if err != nil {
		return nil, model.EventKey{}, usererr.Errorf("time of the event: %w", err)
	}
	order := model.Order{At: when, ID: id}
	key := model.EventKey{Series: found[0].Series(of.ID, stream, order), Order: order}
	return found[0], key, nil
}
