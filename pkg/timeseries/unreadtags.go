package timeseries

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// checkTagText returns an error for a tag that reflect reads no tide from, although it has one: the field
// would not be stored, without a word.
func checkTagText(tag reflect.StructTag) error {
	rest := strings.TrimLeft(string(tag), " ")
	for rest != "" {
		key, after, _ := strings.Cut(rest, ":")
		value, err := strconv.QuotedPrefix(after)
		ours := strings.EqualFold(strings.Trim(key, ",;\t"), "tide")
		switch {
		case ours && (key != "tide" || err != nil || value == `""`),
			err != nil && strings.Contains(strings.ToLower(rest), "tide:"):
			return fmt.Errorf("the tag `%s` cannot be read: write `tide:\"measure\"`, in lower case, with "+
				"quotes and no space behind the colon, and a space between two tags", string(tag))
		case err != nil:
			return nil // of another package
		}
		rest = strings.TrimLeft(after[len(value):], " ")
	}
	return nil
}

// ambiguousTags returns the tagged fields that Go reads from none of several embedded structs, which have a
// field of this name at the same depth.
func ambiguousTags(model reflect.Type) (mistakes []*Error) {
	seen := map[reflect.Type]bool{}
	reported := map[string]bool{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous {
				walk(f.Type)
			}
			tag := f.Tag.Get("tide")
			if _, found := model.FieldByName(f.Name); found || tag == "" || tag == "-" || reported[f.Name] {
				continue
			}
			reported[f.Name] = true
			mistakes = append(mistakes, &Error{Code: TagUnreadable, Model: model.Name(), Field: f.Name,
				Message: "several embedded structs have a field of this name, and Go reads none: rename one"})
		}
	}
	walk(model)
	return mistakes
}
