package simulation

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Counts of checked rows.
const (
	rowsRecounted = "rows recounted with math/big"
	namesDropped  = "rows with more names than they store"
	statesDropped = "rows with more values of a dimension than they store"
)

// checkSummary compares the summary of an exact row with the events of its bucket, by
// arithmetic that shares no code with the fold.
func checkSummary(s *rollup.Summary, events []*model.Event) error {
	if s.Events() != int64(len(events)) {
		return fmt.Errorf("it has %d events, want %d", s.Events(), len(events))
	}
	slices.SortFunc(events, func(a, b *model.Event) int { return a.Compare(b.Order) })
	var numbers []*big.Rat
	invalid, rounded := int64(0), int64(0)
	states, people := map[string]int64{}, map[string]bool{}
	for _, e := range events {
		if e.Unreadable {
			continue
		}
		for _, a := range e.Attrs {
			switch {
			case a.Name == "state":
				states[a.Value.Text]++
			case a.Name == "who":
				people[a.Value.Text] = true
			case a.Name == "value" && a.Value.Kind != model.Number:
				invalid++
			case a.Name == "value":
				n, fine := hundredths(rat(a.Value.Number))
				numbers = append(numbers, n)
				if fine {
					rounded++
				}
			}
		}
	}
	if err := checkMeasure(s, numbers, invalid, rounded); err != nil {
		return err
	}
	if n, exact, ok := s.Distinct("who"); (exact || !ok) && n != int64(len(people)) {
		return fmt.Errorf("it has %d distinct people, want %d", n, len(people))
	}
	return checkStates(s, states)
}

func rat(d model.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic("not a number: " + d.String())
	}
	return r
}

// hundredths rounds to two digits, half to even, and reports whether digits were lost.
func hundredths(n *big.Rat) (_ *big.Rat, lost bool) {
	scaled := new(big.Rat).Mul(n, big.NewRat(100, 1))
	floor := new(big.Int).Div(scaled.Num(), scaled.Denom()) // Euclidean: towards minus infinity
	rest := new(big.Rat).Sub(scaled, new(big.Rat).SetInt(floor))
	if up := rest.Cmp(big.NewRat(1, 2)); up > 0 || up == 0 && floor.Bit(0) == 1 {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(floor, big.NewInt(100)), rest.Sign() != 0
}

// checkMeasure checks the measure value. Its numbers are in order of time.
func checkMeasure(s *rollup.Summary, numbers []*big.Rat, invalid, rounded int64) error {
	m, found := s.Measure("value")
	if !found && len(numbers)+int(invalid) == 0 || !found && s.Truncated() {
		return nil
	}
	if m.Count != int64(len(numbers)) || m.Invalid != invalid || m.Rounded != rounded {
		return fmt.Errorf("its measure has %d values, %d invalid, %d rounded, want %d, %d, %d", m.Count, m.Invalid,
			m.Rounded, len(numbers), invalid, rounded)
	}
	if len(numbers) == 0 {
		return nil
	}
	sum, squares := new(big.Rat), new(big.Rat)
	for _, n := range numbers {
		sum.Add(sum, n)
		squares.Add(squares, new(big.Rat).Mul(n, n))
	}
	least, most := slices.MinFunc(numbers, (*big.Rat).Cmp), slices.MaxFunc(numbers, (*big.Rat).Cmp)
	for _, p := range []struct {
		name string
		got  model.Decimal
		want *big.Rat
	}{
		{"sum", m.Sum, sum}, {"minimum", m.Min, least}, {"maximum", m.Max, most}, {"first", m.First, numbers[0]},
		{"last", m.Last, numbers[len(numbers)-1]},
	} {
		if rat(p.got).Cmp(p.want) != 0 {
			return fmt.Errorf("its %s is %s, want %s", p.name, p.got, p.want.RatString())
		}
	}
	count := big.NewRat(int64(len(numbers)), 1)
	mean := new(big.Rat).Quo(sum, count)
	variance := new(big.Rat).Sub(new(big.Rat).Quo(squares, count), new(big.Rat).Mul(mean, mean))
	avg, _ := mean.Float64()
	spread, _ := variance.Float64()
	gotAvg, _ := m.Avg()
	gotSpread, _ := m.Variance()
	if gotAvg != avg || gotSpread != spread {
		return fmt.Errorf("its average and variance are %v and %v, want %v and %v", gotAvg, gotSpread, avg, spread)
	}
	return nil
}

// checkStates checks the counts of a dimension. Where values were dropped, a count may be
// too low by the number of others.
func checkStates(s *rollup.Summary, want map[string]int64) error {
	d, found := s.Dimension("state")
	if !found && len(want) > 0 {
		return fmt.Errorf("it has no states, want %v", want)
	}
	got, all := map[string]int64{}, d.Other
	for _, v := range d.Values {
		got[v.Value] = v.Count
		all += v.Count
		if v.Count > want[v.Value] || v.Count+d.Other < want[v.Value] {
			return fmt.Errorf("it has %d of state %s and %d others, want %d", v.Count, v.Value, d.Other, want[v.Value])
		}
	}
	total := int64(0)
	for _, n := range want {
		total += n
	}
	if all != total || d.Exact && d.Other == 0 && !maps.Equal(got, want) {
		return fmt.Errorf("its states are %v and %d others, want %s", got, d.Other,
			strings.Trim(fmt.Sprint(want), "map"))
	}
	return nil
}
