package main

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// findSubject reads devices/ID, DEVICE/ID, or an id without a slash alone where only one
// subject type is declared. An id may hold slashes.
func findSubject(text string, kinds *catalog.Catalog) (model.Subject, error) {
	types := kinds.Subjects()
	head, id, cut := strings.Cut(text, "/")
	for _, t := range types {
		if cut && id != "" && (head == t.Path || head == t.Name) {
			return model.Subject{Type: t.Name, ID: id}, nil
		}
	}
	if len(types) == 1 && !cut && text != "" {
		return model.Subject{Type: types[0].Name, ID: text}, nil
	}
	return model.Subject{}, usagef("%q: want a subject as %s", text, strings.Join(subjectForms(kinds), " or "))
}

func subjectForms(kinds *catalog.Catalog) (forms []string) {
	for _, s := range kinds.Subjects() {
		forms = append(forms, s.Path+"/ID")
	}
	return forms
}

// kindsOf are the kinds of a subject that were asked for by name or path, in the order
// asked; all of them where none was.
func kindsOf(kinds *catalog.Catalog, subject model.Subject, asked []string) ([]*catalog.Kind, error) {
	of, _ := kinds.SubjectType(subject.Type) // findSubject found it
	all := kinds.KindsOf(of)
	if len(asked) == 0 {
		return all, nil
	}
	var found []*catalog.Kind
	for _, name := range asked {
		i := slices.IndexFunc(all, func(k *catalog.Kind) bool { return name == k.Name || name == k.Path })
		if i < 0 {
			return nil, usagef("--kind %s: %s have %s", name, of.Path, strings.Join(kindNames(all), ", "))
		}
		found = append(found, all[i])
	}
	return found, nil
}

func kindNames(kinds []*catalog.Kind) (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}
