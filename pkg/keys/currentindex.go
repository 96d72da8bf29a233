package keys

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// CurrentEntry is where a current stands in an index that finds currents by fields: in
// the partition of the values that are asked for, ordered by those of sort, then by
// subject and stream.
func CurrentEntry(s model.Series, by, sort []string) Key {
	return Key{
		PK: CurrentsPartition(s.Kind, by),
		SK: CurrentsPrefix(sort) + join(s.Subject.ID, s.Stream),
	}
}

// CurrentsPartition is where the currents of a kind with these values are found.
func CurrentsPartition(kind string, by []string) string {
	return join(append([]string{ClassCurrent, kind}, by...)...)
}

// CurrentsPrefix begins the sort key of the currents there whose first fields of order
// have these values.
func CurrentsPrefix(sort []string) string {
	prefix := ""
	for _, value := range sort {
		prefix += join(value) + string(separator)
	}
	return prefix
}

// ParseCurrentEntry is the way back from the sort key of CurrentEntry: the subject's id
// and the stream, where the key has so many fields of order.
func ParseCurrentEntry(sk string, sort int) (subject, stream string, err error) {
	parts := make([]string, sort+2)
	n, err := split(sk, parts)
	if err != nil || n != len(parts) || parts[sort] == "" {
		return "", "", fmt.Errorf("parse entry of a current %.120q: %w", sk, ErrForeign)
	}
	return parts[sort], parts[sort+1], nil
}
