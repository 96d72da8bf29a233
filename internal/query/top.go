package query

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Top asks which values of a dimension came most often in a range of rollups.
type Top struct {
	Rollups
	Dimension string
	Values    int // how many are answered; 0 means as many as are known
}

// Share is how often one value came, and its part of all that were counted.
type Share struct {
	Value string  `json:"value"`
	Count int64   `json:"count"`
	Share float64 `json:"share"` // 0 to 1
}

// Shares are the most frequent values of a dimension.
type Shares struct {
	Values []Share `json:"values"` // highest count first, ties by bytes
	// Other is how often any other value came, those included that no row had room for.
	Other int64 `json:"other"`
	// Exact is false where a row had no room for all values: then a count may be too
	// low, and a value may be missing.
	Exact bool `json:"exact"`
}

// SharesOf is the most frequent values of d, as many as n; 0 means all that are known.
func SharesOf(d rollup.Dimension, n int) Shares {
	counted := d.Other
	for _, v := range d.Values {
		counted += v.Count
	}
	s := Shares{Values: []Share{}, Other: d.Other, Exact: d.Exact}
	for i, v := range d.Values {
		if n > 0 && i >= n {
			s.Other += v.Count
			continue
		}
		s.Values = append(s.Values, Share{Value: v.Value, Count: v.Count, Share: float64(v.Count) / float64(counted)})
	}
	return s
}

// Top answers the most frequent values over the whole range, and the total they are
// of. The error is ErrNoDimension where no kind asked for counts the field.
func (s *Service) Top(ctx context.Context, q Top) (Shares, Total, error) {
	if !q.counts(q.Dimension) {
		return Shares{}, Total{}, fmt.Errorf("%.64q of %s: %w", q.Dimension, q.Series, ErrNoDimension)
	}
	total, err := s.Total(ctx, q.Rollups)
	if err != nil {
		return Shares{}, Total{}, err
	}
	d, ok := total.Summary.Dimension(q.Dimension)
	if !ok {
		d.Exact = true // no event of the range has the field
	}
	shares := SharesOf(d, q.Values)
	shares.Exact = shares.Exact && total.Exact
	return shares, total, nil
}
