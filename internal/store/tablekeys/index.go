package tablekeys

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClassIndexEntry begins the partition keys, in the second index, of events that are
// found by the value of a field.
const ClassIndexEntry = reserved.IndexEntry

// IndexEntry returns the key of an event in the second index: with the events of its
// kind, of all subjects, that have the same value in a field, ordered by event time. The
// sort key identifies the event within the partition, so it is also a page position.
func IndexEntry(k model.EventKey, field, value string) keys.Key {
	return keys.Key{
		PK: IndexPartition(k.Series.Kind, field, value),
		SK: keyparts.Join(k.At.String(), k.Series.Subject.ID, k.Series.Stream, k.ID),
	}
}

// IndexPartition returns the partition key, in the second index, of the events of a kind
// that have a value in a field: BY#kind#field#value.
func IndexPartition(kind, field, value string) string {
	return keyparts.Join(ClassIndexEntry, kind, field, value)
}

// IndexRange returns the inclusive bounds (for BETWEEN) of the sort keys, in the second
// index, of events in [from, to). For an empty range, no key lies between them.
func IndexRange(from, to model.Time) (lo, hi string) {
	from, to = max(from, model.MinTime), min(to, model.MaxTime+1)
	if from >= to {
		return string(separator), string(separator)
	}
	return from.String(), (to - 1).String() + string(separator+1)
}

// ParseIndexPartition is the inverse of IndexPartition.
func ParseIndexPartition(pk string) (kind, field, value string, err error) {
	var p [4]string
	if n, err := keyparts.Split(pk, p[:]); err != nil || n != len(p) || p[0] != ClassIndexEntry {
		return "", "", "", fmt.Errorf("parse index partition key %.80q: %w", pk, keys.ErrKeyForm)
	}
	return p[1], p[2], p[3], nil
}

// ParseIndexSort is the inverse of the sort key of IndexEntry: it returns the subject id,
// the stream and the order of the event.
func ParseIndexSort(sk string) (subject, stream string, order model.Order, err error) {
	var p [4]string
	n, err := keyparts.Split(sk, p[:])
	if err == nil && n == len(p) {
		order.At, err = storedtime.Parse(p[0])
	}
	if err != nil || n != len(p) {
		return "", "", model.Order{}, fmt.Errorf("parse index sort key %.120q: %w", sk, keys.ErrKeyForm)
	}
	order.ID = p[3]
	return p[1], p[2], order, nil
}

// LatestEntry returns the key of a latest item in an index that finds latest items by
// fields. by are the values of the partition; sort are the values that order the entries
// of the partition, before subject id and stream.
func LatestEntry(s model.Series, by, sort []string) keys.Key {
	return keys.Key{
		PK: LatestEntryPartition(s.Kind, by),
		SK: LatestEntryPrefix(sort) + keyparts.Join(s.Subject.ID, s.Stream),
	}
}

// LatestEntryPartition returns the partition key of the latest items of a kind that have these values.
func LatestEntryPartition(kind string, by []string) string {
	return keyparts.Join(append([]string{keys.ClassLatest, kind}, by...)...)
}

// LatestEntryPrefix returns the prefix of the sort keys of the entries whose first sort
// fields have these values.
func LatestEntryPrefix(sort []string) string {
	prefix := ""
	for _, value := range sort {
		prefix += keyparts.Join(value) + string(separator)
	}
	return prefix
}

// ParseLatestEntry is the inverse of the sort key of LatestEntry with so many sort fields:
// it returns the subject's id and the stream.
func ParseLatestEntry(sk string, sort int) (subject, stream string, err error) {
	parts := make([]string, sort+2)
	n, err := keyparts.Split(sk, parts)
	if err != nil || n != len(parts) || parts[sort] == "" {
		return "", "", fmt.Errorf("parse index sort key %.120q of a latest item: %w", sk, keys.ErrKeyForm)
	}
	return parts[sort], parts[sort+1], nil
}
