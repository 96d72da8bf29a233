package promapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/prometheus/prometheus/util/annotations"
)

// maxNotes is how many warnings, and how many infos, a response has.
const maxNotes = 10

// note is a warning. What a result lacks comes before what is inexact in it.
type note struct {
	text string
	less bool // less important
}

func (n note) Error() string { return n.text }

// noteTexts returns the warnings and infos of a query, the most important ones first. The order of equal ones
// is the same each time.
func noteTexts(all annotations.Annotations, query string) (warnings, infos []string) {
	rank := map[string]int{}
	for _, err := range all {
		if n := (note{}); errors.As(err, &n) && n.less {
			rank[n.text] = 1
		}
	}
	warnings, infos = all.AsStrings(query, 0, 0)
	slices.SortFunc(warnings, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a, b))
	})
	slices.Sort(infos)
	return first(warnings, "warnings"), first(infos, "infos")
}

func first(texts []string, name string) []string {
	if len(texts) <= maxNotes {
		return texts
	}
	return append(texts[:maxNotes:maxNotes], fmt.Sprintf("%d more %s", len(texts)-maxNotes, name))
}
