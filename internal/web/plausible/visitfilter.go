package plausible

import (
	"encoding/json"
	"slices"
)

// This file filters by what else happened in a visit, which rollups do not have.

// The operators of filters that are of visits: one, or none, of its page views and custom events in the range
// passes the filter in it.
const hasDone, hasNotDone = "has_done", "has_not_done"

func isOfVisits(operator string) bool { return operator == hasDone || operator == hasNotDone }

// visitTest reads the filter in one of visits. An event in no visit passes neither operator.
func (r *recount) visitTest(done bool, raw json.RawMessage) (test, error) {
	passes, err := r.test(raw)
	if err != nil {
		return nil, err
	}
	counts := func(h *hit) bool { return !h.isReport && inside(r.whole, h.At) && passes(h) }
	return func(h *hit) bool {
		return h.visit != nil && slices.ContainsFunc(h.visit.hits, counts) == done
	}, nil
}
