package ingest

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// undeclaredFields finds the fields of events that their kind does not declare. It remembers names, because
// the events of a request have the same ones.
type undeclaredFields struct {
	kind  *catalog.Kind
	names []string          // that are declared
	meant map[string]string // the declared name that is similar to an undeclared one, or ""
}

// in returns the undeclared fields of an event. A kind that declares no field, such as METRIC, takes all as
// they come, and has none.
func (u *undeclaredFields) in(attrs model.Attrs) (found []model.UndeclaredField) {
	if u.meant == nil {
		u.meant = map[string]string{}
		for _, f := range u.kind.Fields() {
			if f.Name != u.kind.Subject.Field && !u.kind.IsEnrichment(f.Name) {
				u.names = append(u.names, f.Name)
			}
		}
	}
	if len(u.names) == 0 {
		return nil
	}
	for _, a := range attrs {
		if u.kind.Knows(a.Name) || strings.HasPrefix(a.Name, sourcePrefix) {
			continue
		}
		found = append(found, model.UndeclaredField{Field: a.Name, DidYouMean: u.similar(a.Name)})
	}
	return found
}

// leastSimilar is the length of the shortest name that is compared with others: of two letters, each word is
// similar to many.
const leastSimilar = 3

func (u *undeclaredFields) similar(name string) string {
	if len(name) < leastSimilar {
		return ""
	}
	meant, known := u.meant[name]
	if !known {
		meant = names.Closest(name, u.names)
		u.meant[name] = meant
	}
	return meant
}
