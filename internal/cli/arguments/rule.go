package arguments

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// RuleSubject parses a subject, or a subject type, which is returned without an id.
func RuleSubject(kinds *catalog.Catalog, text string) (model.Subject, error) {
	for _, s := range kinds.Subjects() {
		if text == s.Path || text == s.Name {
			return model.Subject{Type: s.Name}, nil
		}
	}
	if known := paths(kinds); len(known) > 1 && !strings.Contains(text, "/") {
		return model.Subject{}, usererr.Errorf("%q is not a type of subjects: want %s, or one subject such "+
			"as %s/ID%s", text, strings.Join(known, ", "), known[0], names.DidYouMean(text, known))
	}
	return Subject(text, kinds)
}

// RuleKind returns the named kind, or the only one of the subject type that can have rules.
func RuleKind(kinds *catalog.Catalog, subjectType, name string) (string, error) {
	var fit []string
	for i := range kinds.Kinds {
		k := &kinds.Kinds[i]
		if name != "" && (k.Name == name || k.Path == name) {
			return k.Name, nil
		}
		if k.Subject.Name == subjectType && k.AllowsRules() {
			fit = append(fit, k.Name)
		}
	}
	switch {
	case name != "":
		return "", usererr.Errorf("--kind %s: no such kind; the kinds are %s%s", name,
			strings.Join(kindNames(kinds), ", "), names.DidYouMean(name, kindNames(kinds)))
	case len(fit) == 0:
		return "", usererr.Errorf("no kind of %s can have rules: a kind needs a latest item and one shard for them",
			subjectType)
	case len(fit) > 1:
		return "", usererr.Errorf("choose a kind with --kind: %s can have rules", strings.Join(fit, ", "))
	}
	return fit[0], nil
}

// GroupKind returns the kind of groups of members of a subject type, by the type of the groups or by its own
// name: by-site, or readings-by-site.
func GroupKind(kinds *catalog.Catalog, of catalog.SubjectType, by string) (*catalog.Kind, error) {
	var fit, forms []string
	var found *catalog.Kind
	for _, member := range kinds.SubjectKinds(of) {
		for _, g := range member.GroupKinds() {
			forms = append(forms, g.Subject.Path)
			if by == g.Name || by == g.Path {
				return g, nil
			}
			if by == g.Subject.Path || by == g.Subject.Name {
				found, fit = g, append(fit, g.Path)
			}
		}
	}
	switch {
	case len(forms) == 0:
		return nil, usererr.Errorf("--by %s: no kind of %s has groups: declare some, such as groups: [site]", by,
			of.Path)
	case len(fit) == 0:
		return nil, usererr.Errorf("--by %s: no such groups of %s; there are %s%s", by, of.Path,
			strings.Join(forms, ", "), names.DidYouMean(by, forms))
	case len(fit) > 1:
		return nil, usererr.Errorf("--by %s: several kinds have these groups: choose %s", by,
			strings.Join(fit, " or "))
	}
	return found, nil
}

func kindNames(kinds *catalog.Catalog) []string {
	return lists.Map(kinds.Kinds, func(k catalog.Kind) string { return k.Name })
}

// Bounds parses the bounds of a rule from the flags --above, --below and --outside, of
// which one must be given.
func Bounds(above, below, outside string) (bounds storage.Bounds, low, high *model.Decimal, err error) {
	from, to, both := strings.Cut(outside, ",")
	switch {
	case above != "" && below == "" && outside == "":
		bounds = storage.Above
		from = ""
		to = above
	case below != "" && above == "" && outside == "":
		bounds = storage.Below
		from = below
		to = ""
	case both && above == "" && below == "":
		bounds = storage.Outside
	default:
		return "", nil, nil, usererr.Errorf("pass one of --above 30, --below 5 and --outside 18,24")
	}
	if low, err = bound(string(bounds), from); err == nil {
		high, err = bound(string(bounds), to)
	}
	return bounds, low, high, err
}

// Clear parses the flag --clear for a rule with its bounds: the number at which its alerts end, or two for
// outside. "" is none.
func Clear(text string, bounds storage.Bounds) (low, high *model.Decimal, err error) {
	from, to, both := strings.Cut(text, ",")
	switch {
	case text == "":
		return nil, nil, nil
	case both != (bounds == storage.Outside):
		return nil, nil, usererr.Errorf("--clear %s: pass one number, and two with --outside", text)
	case bounds == storage.Above:
		from, to = "", from
	}
	if low, err = bound("clear", from); err == nil {
		high, err = bound("clear", to)
	}
	return low, high, err
}

// bound parses a number of a flag; "" is none.
func bound(flag, text string) (*model.Decimal, error) {
	if text == "" {
		return nil, nil
	}
	d, err := model.ParseDecimal(strings.TrimSpace(text))
	if err != nil {
		return nil, usererr.Errorf("--%s %s: not a number: write it with a point and without a unit, such as 30.5",
			flag, text)
	}
	return &d, nil
}
