package httpapi

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Target is what the method and the path of a request name.
type Target struct {
	Action Action
	Type   catalog.SubjectType // zero if the path names none
	Kind   *catalog.Kind       // nil if the path names none
	Values map[string]string   // of the other parameters of the route, such as id and tier
}

// FindTarget returns what a method and a path, which is decoded, name by the routes of a catalog. ok is false
// if there is no such route. Ids and values may contain slashes, except where an id has nothing fixed beside
// it: the longest id counts, and of routes that match, the one with most parts, then the one whose last
// parts are fixed.
func FindTarget(c *catalog.Catalog, method, path string) (t Target, ok bool) {
	return FindAuthorized(c, "", method, path)
}

// FindAuthorized is FindTarget for a request of a gateway's route: only the routes of the catalog that this
// one stands for count. ok is false too if the path names an action that needs another right than the
// gateway's route authorizes.
func FindAuthorized(c *catalog.Catalog, key RouteKey, method, path string) (t Target, ok bool) {
	of, keyParts := key.split()
	if of != "ANY" && of != method {
		return Target{}, false
	}
	parts := strings.Split(path, "/")
	if parts[len(parts)-1] == "" {
		return Target{}, false
	}
	for _, row := range orderedRows() {
		if row.method != method {
			continue
		}
		t = Target{Action: row.action, Values: map[string]string{}}
		if !t.match(c, row.parts, parts, keyParts) || !t.has(c, row.routeRow) {
			continue
		}
		if key.permits(row.routeRow, t.Values) {
			return t, true
		}
		break
	}
	return Target{}, false
}

// Methods returns the methods that a path has.
func Methods(c *catalog.Catalog, path string) []string {
	return slices.DeleteFunc([]string{"GET", "PUT", "PATCH", "POST", "DELETE"}, func(method string) bool {
		_, found := FindTarget(c, method, path)
		return !found
	})
}

// withSlashes are the parameters whose values may contain slashes.
var withSlashes = []string{"id", "event", "value"}

// IsWord reports whether a part of a path is fixed in any route, as "latest" is. Package catalog rejects a
// kind with such a path.
func IsWord(part string) bool {
	return slices.ContainsFunc(orderedRows(), func(row splitRow) bool {
		return slices.Contains(row.parts, part)
	})
}

// splitRow is a route with the parts of its path.
type splitRow struct {
	routeRow
	parts []string
}

// orderedRows returns the routes, those first that are preferred where several match a path.
var orderedRows = sync.OnceValue(func() (rows []splitRow) {
	for _, row := range routeRows() {
		rows = append(rows, splitRow{routeRow: row, parts: strings.Split(row.path, "/")})
	}
	slices.SortStableFunc(rows, func(a, b splitRow) int {
		return cmp.Or(len(b.parts)-len(a.parts), slices.Compare(a.freedom(), b.freedom()))
	})
	return rows
})

// freedom tells of each part of a path, from its end, whether it is fixed (0), one of a few (1) or anything
// (2).
func (row splitRow) freedom() []int {
	few := map[string]int{"{kinds}": 1, "{subjects}": 1}
	all := lists.Map(row.parts, func(part string) int {
		if strings.HasPrefix(part, "{") {
			return cmp.Or(few[part], 2)
		}
		return 0
	})
	slices.Reverse(all)
	return all
}

// match reads the parts of a path by the parts of a route. It sets what they name. key are the parts of the
// gateway's route, nil where it allows anything.
func (t *Target) match(c *catalog.Catalog, route, parts, key []string) bool {
	if len(route) == 0 || len(parts) == 0 {
		return len(route) == len(parts) && len(key) == 0
	}
	rest, fixed := route[1:], len(key) > 0 && !isParameter(key[0])
	key, ok := afterPart(key, route[0], parts[0])
	if !ok {
		return false
	}
	switch name := strings.Trim(route[0], "{}"); {
	case name == route[0]:
		return name == parts[0] && t.match(c, rest, parts[1:], key)
	case name == "subjects":
		t.Type, _ = c.SubjectByPath(parts[0])
		return t.Type.Name != "" && t.match(c, rest, parts[1:], key)
	case name == "kinds":
		if t.Kind, _ = c.ByPath(parts[0]); t.Kind == nil || t.Type.Name != "" && t.Kind.Subject != t.Type {
			return false
		}
		t.Type = t.Kind.Subject
		return t.match(c, rest, parts[1:], key)
	case slices.Contains(withSlashes, name):
		for n := len(parts); n > 0; n-- {
			if (n == 1 || !fixed) && t.match(c, rest, parts[n:], key) {
				t.Values[name] = strings.Join(parts[:n], "/")
				return t.Values[name] != "" && (name != "id" || len(rest) > 0 || !t.hasKind(c, parts[1:]))
			}
		}
		return false
	default:
		t.Values[name] = parts[0]
		_, err := times.Parse(parts[0])
		return parts[0] != "" && (name != "time" || err == nil) && t.match(c, rest, parts[1:], key)
	}
}

// hasKind reports whether a kind of the subject type is one of parts and something follows it: the path of an
// event with a time that is none.
func (t *Target) hasKind(c *catalog.Catalog, parts []string) bool {
	return len(parts) > 1 && slices.ContainsFunc(parts[:len(parts)-1], func(part string) bool {
		k, ok := c.ByPath(part)
		return ok && k.Subject == t.Type
	})
}

// has reports whether the kind or the subject type has what a route needs, except what the action itself
// reports as missing.
func (t *Target) has(c *catalog.Catalog, r routeRow) bool {
	if r.needs != nil && r.needs.reported {
		return true
	}
	return routeOwner{kinds: c, subject: t.Type, kind: t.Kind}.has(r)
}

// Subject is the subject that the path names. It has no ID where the path names only its type.
func (t Target) Subject() model.Subject { return model.Subject{Type: t.Type.Name, ID: t.Values["id"]} }

// EventKey returns the identity of the event that the path names, in a stream.
func (t Target) EventKey(stream string) model.EventKey {
	at, _ := times.Parse(t.Values["time"]) // FindTarget has parsed it
	order := model.Order{At: at, ID: t.Values["event"]}
	return model.EventKey{Series: t.Kind.Series(t.Values["id"], stream, order), Order: order}
}
