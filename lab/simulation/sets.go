package simulation

import (
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// mostSets is the most sets of events that are tried for one bucket.
const mostSets = 4096

// someSet reports whether one version of each event is a set that is right, and how many it tried.
func someSet(rest [][]*model.Event, chosen []*model.Event, right func([]*model.Event) bool,
	tried int) (bool, int) {
	if tried > mostSets {
		return false, tried
	}
	if len(rest) == 0 {
		set := slices.DeleteFunc(slices.Clone(chosen), func(e *model.Event) bool { return e == nil })
		return right(set), tried + 1
	}
	for _, e := range rest[0] {
		found := false
		if found, tried = someSet(rest[1:], append(chosen, e), right, tried); found {
			return true, tried
		}
	}
	return false, tried
}
