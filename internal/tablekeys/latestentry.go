package tablekeys

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// LatestEntry returns the key of a latest item in an index that finds latest items by
// fields. by are the values of the partition; sort are the values that order the entries
// of the partition, before subject id and stream.
func LatestEntry(s model.Series, by, sort []string) keys.Key {
	return keys.Key{
		PK: LatestEntryPartition(s.Kind, by),
		SK: LatestEntryPrefix(sort) + keyparts.Join(s.Subject.ID, s.Stream),
	}
}

// LatestEntryPartition returns the partition key of the latest items of a kind that have
// these values.
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
