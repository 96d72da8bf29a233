package query

import (
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// What is missing, or of an unknown group, may belong to any group: none is exact beside it.
func TestSumIncreases_NothingIsExactBesideWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	increase := func(group MemberGroup, of ...int64) GroupIncrease {
		g := GroupIncrease{Group: group, Members: 1, Exact: true}
		for _, n := range of {
			g.Increase = new(model.NewDecimal(n))
		}
		return g
	}
	x, past := increase(MemberGroup{ID: "x"}, 4), []Segment{{From: 0, To: 1}}
	two := []GroupIncrease{x, x}
	for name, c := range map[string]struct {
		members []MemberIncreases
		exact   bool
	}{
		"all known":          {members: []MemberIncreases{{Groups: two}}, exact: true},
		"a first reading":    {members: []MemberIncreases{{Groups: append(two, increase(x.Group))}}, exact: true},
		"an unknown group":   {members: []MemberIncreases{{Groups: append(two, increase(MemberGroup{Unknown: true}, 5))}}},
		"a missing part":     {members: []MemberIncreases{{Groups: two, Missing: past}}},
		"missing of another": {members: []MemberIncreases{{Groups: two}, {Missing: past}}},
	} {
		sums, err := sumIncreases(c.members)
		if err != nil || sums.Group("x").Increase.String() != "8" || sums.Group("x").Exact != c.exact ||
			sums.Exact != c.exact || sums.MissingOf > 0 != (len(sums.Missing) > 0) {
			t.Errorf("%s: %+v, %v; want 8 of x, exact %t", name, sums, err, c.exact)
		}
	}
}
