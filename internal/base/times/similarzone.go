package times

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
)

// zoneNames are the names in lib/time/zoneinfo.zip of Go, one a line.
//
//go:embed zones.txt
var zoneNames string

// similarZone returns the name of the zone that was meant: in other case, by its city alone, or misspelled;
// "" if there is none. A name with digits, such as UTC+2, is no misspelling.
func similarZone(typed string) string {
	typed = strings.ReplaceAll(strings.TrimSpace(typed), " ", "_")
	if typed == "" || strings.ContainsAny(typed, "0123456789") {
		return ""
	}
	zones := strings.Fields(zoneNames)
	find := func(text string) string {
		for _, part := range []func(string) string{path.Clean, path.Base} { // the whole name, or its city
			isMeant := func(zone string) bool { return strings.EqualFold(part(zone), text) }
			if at := slices.IndexFunc(zones, isMeant); at >= 0 {
				return zones[at]
			}
		}
		return ""
	}
	if found := find(typed); found != "" {
		return found
	}
	return find(names.Closest(typed, append(lists.Map(zones, path.Base), zones...)))
}
