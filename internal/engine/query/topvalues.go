package query

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Top requests the most frequent values of a dimension in the rollups that it embeds; if Unit is 0, of
// exactly the events in their range.
type Top struct {
	Rollups
	Dimension string
	Values    int // how many values to return; 0 means all that are stored
}

// Share is how often one value occurred, and its share of all values that were counted.
type Share struct {
	Value string  `json:"value"`
	Count int64   `json:"count"`
	Share float64 `json:"share"`           // 0 to 1
	Event string  `json:"event,omitempty"` // of a property: the name of the events that have it
}

// TopValues are the most frequent values of a dimension.
type TopValues struct {
	Values []Share `json:"values"` // highest count first, then by bytes
	// Other is how often all other values occurred, including those that no row stores one by one.
	Other int64 `json:"other"`
	// Exact is false if a row could not store all values. Then a count may be too low, and
	// a value may be missing.
	Exact bool `json:"exact"`
}

// NewTopValues returns the n most frequent values of d; 0 means all that are stored.
func NewTopValues(d Dimension, n int) TopValues {
	counted := d.Other
	for _, v := range d.Values {
		counted += v.Count
	}
	s := TopValues{Values: []Share{}, Other: d.Other, Exact: d.Exact}
	for i, v := range d.Values {
		if n > 0 && i >= n {
			s.Other += v.Count
			continue
		}
		s.Values = append(s.Values,
			Share{Value: v.Value, Event: v.Event, Count: v.Count, Share: float64(v.Count) / float64(counted)})
	}
	return s
}

// Top returns the most frequent values over the whole time range, and the total of the
// range. The error is ErrNoDimension if no requested kind declares the dimension.
func (s *Service) Top(ctx context.Context, q Top) (TopValues, Total, error) {
	if !q.hasDimension(q.Dimension) {
		return TopValues{}, Total{}, fmt.Errorf("%.64q of %s: %w%s", q.Dimension, q.Series, ErrNoDimension,
			names.DidYouMean(q.Dimension, q.dimensionNames()))
	}
	var total Total
	var err error
	if q.Unit == 0 {
		var exact RangeTotal
		exact, err = s.RangeTotal(ctx, q.Rollups)
		total = exact.Total
	} else {
		total, err = s.Total(ctx, q.Rollups)
	}
	if err != nil {
		return TopValues{}, Total{}, err
	}
	d := total.dimension(q.Dimension)
	values := NewTopValues(d, q.Values)
	_, partial := total.Partial.Find(rollup.DimensionRole, d.Field)
	values.Exact = values.Exact && total.Exact && !partial
	return values, total, nil
}
