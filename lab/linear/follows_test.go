package linear

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A latest item that follows deletions may be the one before a deletion for some time, and then is of the
// newest stored event.
func TestCheck_TheLatestItemFollowsADeletion(t *testing.T) {
	added := func(slot, payload uint8) Operation {
		return Operation{Verb: Append, Slot: slot, Payload: payload, Outcome: model.Applied}
	}
	deleted := func(slot uint8) Operation { return Operation{Verb: Delete, Slot: slot, Found: true} }
	latest := func(slot, payload uint8) Operation {
		return Operation{Verb: ReadLatest, GotSlot: slot, Got: payload}
	}
	two := []Operation{added(1, 5), added(2, 6)}
	three := append(slices.Clone(two), added(3, 7))
	for name, c := range map[string]struct {
		before, then    []Operation
		follows, stands bool // possible if latest items follow, and if they do not
	}{
		"followed":         {two, []Operation{deleted(2), latest(1, 5)}, true, false},
		"not yet":          {two, []Operation{deleted(2), latest(2, 6)}, true, true},
		"later":            {two, []Operation{deleted(2), latest(2, 6), latest(1, 5)}, true, false},
		"and back":         {two, []Operation{deleted(2), latest(1, 5), latest(2, 6)}, false, false},
		"nothing deleted":  {two, []Operation{latest(1, 5)}, false, false},
		"of another event": {three, []Operation{deleted(3), latest(1, 5)}, false, false},
		"by a fold that read before the next deletion": {
			three, []Operation{deleted(3), latest(3, 7), deleted(2), latest(2, 6), latest(1, 5)}, true, false,
		},
		"emptied": {
			two[:1], []Operation{deleted(1), latest(0, 0), added(1, 8), latest(1, 8)}, true, false,
		},
		"an older event of an emptied item": {
			two[1:], []Operation{deleted(2), latest(0, 0), added(1, 8), latest(1, 8)}, true, false,
		},
	} {
		for _, follows := range []bool{true, false} {
			l := &Log{Kind: &catalog.Kind{}, Follows: follows}
			for n, o := range slices.Concat(c.before, c.then) {
				o.Series = "s"
				o.Call, o.Return = int64(2*n), int64(2*n+1)
				l.Operations = append(l.Operations, o)
			}
			want := c.stands
			if follows {
				want = c.follows
			}
			if err := l.Check(); (err == nil) != want {
				t.Errorf("%s, follows %t: %v, want possible: %t", name, follows, err, want)
			}
		}
	}
}
