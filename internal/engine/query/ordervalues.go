package query

import (
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrOrder is the error of a range that does not fit what orders the kind's events.
var ErrOrder = errors.New("the range does not fit what orders the events of the kind")

// valueKinds are the types of the values of a range.
var valueKinds = map[catalog.OrderType]model.ValueKind{catalog.NumberOrder: model.Number,
	catalog.TextOrder: model.Text}

// checkValues returns ErrOrder for a range of times in a kind without event times, for one of
// values in any other kind, and for values of another type; ErrRange for an empty range.
func (q History) checkValues() error {
	by, want := q.Kind.OrderBy, valueKinds[q.Kind.OrderType]
	for _, v := range []model.Value{q.FromValue, q.ToValue} {
		switch {
		case v.Kind == model.Null:
		case by == "":
			return fmt.Errorf("%w: events of %s are ordered by time: give a range of times", ErrOrder, q.Kind.Name)
		case v.Kind != want:
			return fmt.Errorf("%w: events of %s are ordered by the %s %s, which %s is not", ErrOrder, q.Kind.Name,
				q.Kind.OrderType, by, v)
		}
	}
	if by != "" && (q.From > ordervalue.NoTime || q.To <= ordervalue.NoTime) {
		return fmt.Errorf("%w: events of %s are ordered by the %s %s: give a range of its values", ErrOrder,
			q.Kind.Name, q.Kind.OrderType, by)
	}
	if _, _, first, past := q.bounds(); past != "" && first >= past {
		return fmt.Errorf("from %s to %s: %w", q.FromValue, q.ToValue, ErrRange)
	}
	return nil
}

// bounds returns the range as positions: events at from or later whose id is at least first,
// and before to. past, unless it is "", is the id at which the range ends.
func (q History) bounds() (from, to model.Time, first, past string) {
	if q.Kind.OrderBy == "" {
		return q.From, q.To, "", ""
	}
	return ordervalue.NoTime, ordervalue.NoTime + 1, ordervalue.Bound(q.FromValue), ordervalue.Bound(q.ToValue)
}

// ParseOrderValue parses a bound of a range in a kind that is ordered by a field; "" is an
// open end. The error wraps ErrOrder.
func ParseOrderValue(k *catalog.Kind, text string) (model.Value, error) {
	switch {
	case text == "":
		return model.Value{}, nil
	case k.OrderType == catalog.TextOrder:
		return model.TextValue(text), nil
	}
	n, err := model.ParseDecimal(text)
	if err != nil {
		return model.Value{},
			fmt.Errorf("%w: events of %s are ordered by the number %s: %w", ErrOrder, k.Name, k.OrderBy, err)
	}
	return model.NumberValue(n), nil
}
