package plausible

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/times"
)

// noDimension returns the error of a dimension that there is not.
func (r *run) noDimension(name string) error {
	return refuse("dimension %.64q: want one of time, time:hour, time:day, time:week and time:month, "+
		"or of %s, event:props:NAME and fields of sessions such as visit:source%s",
		name, strings.Join(slices.Sorted(maps.Keys(groups)), ", "), r.meant(name))
}

// meant returns the dimension that an unknown one may have meant, for an error.
func (r *run) meant(name string) string {
	all := []string{"time:" + hour}
	for _, unit := range []times.Unit{times.Day, times.Week, times.Month} {
		all = append(all, "time:"+string(unit))
	}
	if kind, ok := r.kinds.Kind(visits); ok {
		for _, d := range kind.Dimensions {
			all = append(all, "visit:"+d.Name)
		}
	}
	return names.DidYouMean(name, slices.AppendSeq(all, maps.Keys(groups)))
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
