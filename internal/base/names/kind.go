// Package names finds what a person names: a kind by its name or its path.
package names

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Kind returns the kind with this name or path; "" is the first that is declared.
func Kind(kinds *catalog.Catalog, name string) (*catalog.Kind, error) {
	if name == "" && len(kinds.Kinds) > 0 {
		return &kinds.Kinds[0], nil
	}
	if k, ok := kinds.Kind(name); ok {
		return k, nil
	}
	if k, ok := kinds.ByPath(name); ok {
		return k, nil
	}
	known := lists.Map(kinds.Kinds, func(k catalog.Kind) string { return k.Name })
	paths := lists.Map(kinds.Kinds, func(k catalog.Kind) string { return k.Path })
	return nil, usererr.Errorf("no kind %q is declared: want %s%s", name, strings.Join(known, ", "),
		DidYouMean(name, append(paths, known...)))
}

// Kinds returns the kinds with these names or paths.
func Kinds(kinds *catalog.Catalog, names []string) (found []*catalog.Kind, err error) {
	for _, name := range names {
		k, err := Kind(kinds, name)
		if err != nil {
			return nil, err
		}
		found = append(found, k)
	}
	return found, nil
}
