// Package arguments parses what users type on the command line to name subjects, kinds,
// fields and times. Its errors are usage errors.
package arguments

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// CheckText returns an error if an argument is not UTF-8: it would be stored with replaced
// characters, as another id.
func CheckText(args []string) error {
	for _, arg := range args {
		if !utf8.ValidString(arg) {
			return usererr.Errorf("%q is not UTF-8: set the terminal to UTF-8, or convert the text", arg)
		}
	}
	return nil
}

// Subject parses devices/ID, DEVICE/ID, or, if only one subject type is declared, an
// id that has no slash. In the other forms an id may have slashes.
func Subject(text string, kinds *catalog.Catalog) (model.Subject, error) {
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
	for _, t := range types {
		if head == t.Path || head == t.Name {
			return model.Subject{}, usererr.Errorf("%q is a type of subjects: add the id of one, as in %s/ID",
				text, t.Path)
		}
	}
	return model.Subject{}, usererr.Errorf("%q is not a subject: want %s%s", text,
		strings.Join(SubjectForms(kinds), " or "), names.DidYouMean(head, paths(kinds)))
}

func paths(kinds *catalog.Catalog) []string {
	return lists.Map(kinds.Subjects(), func(t catalog.SubjectType) string { return t.Path })
}

// Subjects parses what a list is of: a subject, a subject type by its path or name, or all
// types if text is empty. A type is a subject without an id.
func Subjects(text string, kinds *catalog.Catalog) (all []model.Subject, err error) {
	for _, t := range kinds.Subjects() {
		if text == "" || text == t.Path || text == t.Name {
			all = append(all, model.Subject{Type: t.Name})
		}
	}
	if len(all) > 0 || text == "" {
		return all, nil
	}
	one, err := Subject(text, kinds)
	return []model.Subject{one}, err
}

// SubjectText returns the subject as a command accepts it, such as devices/sensor_01.
func SubjectText(s model.Subject, kinds *catalog.Catalog) string {
	of, _ := kinds.SubjectType(s.Type)
	return of.Path + "/" + s.ID
}

// SubjectForms returns the forms of a subject argument, such as devices/ID.
func SubjectForms(kinds *catalog.Catalog) []string {
	return lists.Map(kinds.Subjects(), func(s catalog.SubjectType) string { return s.Path + "/ID" })
}

// Kinds returns the kinds of a subject with these names or paths, in this order; all
// of its kinds if there are no names.
func Kinds(kinds *catalog.Catalog, subject model.Subject, chosen []string) ([]*catalog.Kind, error) {
	of, _ := kinds.SubjectType(subject.Type) // Subject found it
	all := kinds.SubjectKinds(of)
	switch {
	case len(all) == 0:
		return nil, usererr.Errorf("%s have profiles and no events: use tidemark subject", of.Path)
	case len(chosen) == 0:
		if sent := catalog.WithEvents(all); len(sent) > 0 {
			return sent, nil
		}
		return all, nil // groups, which have rollups only
	}
	var found []*catalog.Kind
	for _, name := range chosen {
		i := slices.IndexFunc(all, func(k *catalog.Kind) bool { return name == k.Name || name == k.Path })
		if i < 0 {
			return nil, usererr.Errorf("--kind %s: %s have the kinds %s%s", name, of.Path,
				strings.Join(KindNames(all), ", "), names.DidYouMean(name, KindNames(all)))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// KindNames returns the names of kinds.
func KindNames(kinds []*catalog.Kind) []string {
	return lists.Map(kinds, func(k *catalog.Kind) string { return k.Name })
}
