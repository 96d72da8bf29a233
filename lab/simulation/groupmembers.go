package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// foldGroup folds the events of a bucket of a group by member, and by the buckets that it is folded from.
func foldGroup(g *catalog.Kind, level int, events []*model.Event) *rollup.Fold {
	fold := rollup.NewFold(g.Spec())
	if len(events) == 0 {
		return fold
	}
	child := g.Retention.ChildLevel(level, g.Retention.Tiers[level].Unit.BucketAt(events[0].At))
	if child < 0 {
		for member, own := range byMember(events) {
			share := rollup.NewFold(g.Spec())
			for _, e := range own {
				share.AddEvent(e)
			}
			fold.AddRow(&rollup.Row{Key: rollup.Key{Member: member}, Fold: *share})
		}
		return fold
	}
	parts := map[model.Time][]*model.Event{}
	for _, e := range events {
		start := g.Retention.Tiers[child].Unit.BucketAt(e.At).Start
		parts[start] = append(parts[start], e)
	}
	for _, part := range parts {
		fold.AddRow(&rollup.Row{Fold: *foldGroup(g, child, part)})
	}
	return fold
}

func byMember(events []*model.Event) map[string][]*model.Event {
	all := map[string][]*model.Event{}
	for _, e := range events {
		member := tablekeys.Member(e.Series.Subject)
		all[member] = append(all[member], e)
	}
	return all
}

// statistics are by what members are ordered in lists, and their number in a summary of the member alone. The
// first two are in the rows of every tier.
var statistics = []struct {
	rollup.Ranking
	number func(rollup.Measure) *big.Rat
}{
	{rollup.Ranking{By: rollup.ByMax}, func(m rollup.Measure) *big.Rat { return m.Max.Rat() }},
	{rollup.Ranking{By: rollup.ByMin, Lowest: true}, func(m rollup.Measure) *big.Rat { return m.Min.Rat() }},
	{rollup.Ranking{By: rollup.BySum}, func(m rollup.Measure) *big.Rat { return m.Sum.Rat() }},
	{rollup.Ranking{By: rollup.ByMean}, func(m rollup.Measure) *big.Rat {
		return new(big.Rat).Quo(m.Sum.Rat(), big.NewRat(m.Count, 1))
	}},
	{rollup.Ranking{By: rollup.ByCount, Lowest: true}, func(m rollup.Measure) *big.Rat {
		return big.NewRat(m.Count, 1)
	}},
}

// checkMembers recounts the lists of members in an exact row: the first members in order, each once.
func checkMembers(g *catalog.Kind, b *bucket, s *rollup.Summary) error {
	known := statistics
	if len(b.events) > 0 {
		over := g.Retention.Tiers[b.level].Unit.BucketAt(b.events[0].At)
		if g.Retention.ChildLevel(b.level, over) >= 0 {
			known = known[:2]
		}
	}
	alone := map[string]rollup.Measure{} // by member
	for member, own := range byMember(b.events) {
		fold := rollup.NewFold(g.Spec())
		for _, e := range own {
			fold.AddEvent(e)
		}
		if m, has := fold.Summary.Measure("value"); has && m.Count > 0 {
			alone[member] = m
		}
	}
	for _, by := range known {
		want := rankMembers(alone, by.Lowest, by.number)
		got := s.Members("value", by.Ranking)
		names := lists.Map(got.Members, func(m rollup.Member) string { return m.Name })
		if got.Places != rollup.MaxMembers || !slices.Equal(names, want[:min(len(want), rollup.MaxMembers)]) {
			return fmt.Errorf("members by %s: %q of %d places, but a recount has %q", by.Ranking, names,
				got.Places, want)
		}
	}
	return nil
}

// rankMembers returns members in order of a number of their measure, ties by name.
func rankMembers(alone map[string]rollup.Measure, lowest bool, number func(rollup.Measure) *big.Rat) []string {
	return slices.SortedFunc(maps.Keys(alone), func(x, y string) int {
		order := number(alone[y]).Cmp(number(alone[x]))
		if lowest {
			order = -order
		}
		return cmp.Or(order, strings.Compare(x, y))
	})
}
