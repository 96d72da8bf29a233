package keys

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClassIndexed begins the partitions of the second index that hold events by value.
const ClassIndexed = "BY"

// Indexed is where an event stands in the second index: with all events of its kind
// that have the same value of a field, whatever their subject, by event time. The
// sort key is the event's own within that, so a page position names one event.
func Indexed(k model.EventKey, field, value string) Key {
	return Key{
		PK: IndexPartition(k.Series.Kind, field, value),
		SK: join(k.At.String(), k.Series.Subject.ID, k.Series.Stream, k.ID),
	}
}

// IndexPartition is where the events of a kind with a value of a field are found:
// BY#kind#field#value.
func IndexPartition(kind, field, value string) string {
	return join(ClassIndexed, kind, field, value)
}

// IndexRange is the inclusive bounds (for BETWEEN) of the second index's sort keys of
// events in [from, to). A range without an instant holds no key at all.
func IndexRange(from, to model.Time) (lo, hi string) {
	from, to = storable(from, to)
	if from >= to {
		return string(separator), string(separator)
	}
	return from.String(), (to - 1).String() + string(separator+1)
}

// ParseIndexPartition is the way back from IndexPartition.
func ParseIndexPartition(pk string) (kind, field, value string, err error) {
	var p [4]string
	if n, err := split(pk, p[:]); err != nil || n != len(p) || p[0] != ClassIndexed {
		return "", "", "", fmt.Errorf("parse index partition %.80q: %w", pk, ErrForeign)
	}
	return p[1], p[2], p[3], nil
}

// ParseIndexSort is the way back from the sort key of Indexed: the event's subject id,
// stream and order.
func ParseIndexSort(sk string) (subject, stream string, order model.Order, err error) {
	var p [4]string
	n, err := split(sk, p[:])
	if err == nil && n == len(p) {
		order.At, err = model.ParseStored(p[0])
	}
	if err != nil || n != len(p) {
		return "", "", model.Order{}, fmt.Errorf("parse index sort key %.120q: %w", sk, ErrForeign)
	}
	order.ID = p[3]
	return p[1], p[2], order, nil
}
