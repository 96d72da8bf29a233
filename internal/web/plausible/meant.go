package plausible

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/names"
)

// meantDimension returns the dimension that an unknown one may have meant, for an error.
func meantDimension(name string) string {
	return names.DidYouMean(name, slices.Sorted(maps.Keys(groups)))
}

// unlessKnown returns the parameter that was meant. One that is known was sent twice.
func unlessKnown(typed string, known []string) string {
	if slices.Contains(known, typed) {
		return ""
	}
	return names.DidYouMean(typed, known)
}

// choices lists the names of a table, and the one that was meant.
func choices[V any](typed string, of map[string]V) string {
	all := slices.Sorted(maps.Keys(of))
	return strings.Join(all, ", ") + names.DidYouMean(typed, all)
}
