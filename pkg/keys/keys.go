// Package keys builds and parses the keys of the table: keys of events, latest items, rollups and
// profiles. Each part of a key is escaped, so that no value can forge another key or leave its
// prefix. The byte order of sort keys is time order.
//
// A function that builds a key returns a key for every input; Key.Check reports whether
// the table can store it. A function that parses accepts exactly the keys that the
// matching function builds, so each key has one spelling.
//
// The package also has helpers for keys of your own, in this table or in another: composite and entity keys,
// hierarchies, edges, time keys and their ranges, keys spread over shards, and sparse index values. They keep
// order and are unambiguous too, but they return an error for an ambiguous part instead of escaping it.
//
// A sort key is also the position of a page: the cursor of a page of events or rollups is
// the sort key of its last item, and the next page starts strictly after it.
package keys

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Key is a primary key.
type Key struct{ PK, SK string }

// Partition returns the partition key of the events, the latest item and the rollups of
// s: TYPE#id, or TYPE#id#shard if s.Shard is positive.
func Partition(s model.Series) string {
	if s.Shard > 0 {
		return keyparts.Join(s.Subject.Type, s.Subject.ID, strconv.Itoa(s.Shard))
	}
	return SubjectPartition(s.Subject)
}

// SubjectPartition returns the partition key of the items that belong to a subject and
// not to one of its series: TYPE#id.
func SubjectPartition(s model.Subject) string { return keyparts.Join(s.Type, s.ID) }

// Metadata returns the key of a subject's profile.
func Metadata(s model.Subject) Key { return Key{SubjectPartition(s), ClassMetadata} }

// Latest returns the key of the latest item of a series.
func Latest(s model.Series) Key {
	return Key{Partition(s), keyparts.Join(ClassLatest, s.Kind, s.Stream)}
}

// Event returns the key of an event. Within a series, the byte order of sort keys is the
// order of model.Order: by event time, then by id as bytes.
func Event(k model.EventKey) Key {
	return Key{Partition(k.Series),
		keyparts.Join(ClassEvent, k.Series.Kind, k.Series.Stream, k.At.String(), k.ID)}
}

// Row returns the key of a rollup. Within a series and tier, the byte order of sort keys
// is time order. k.Tier must be the name of a unit, such as hour.
func Row(k rollup.Key) Key {
	label := k.Start.String()
	if u, err := tier.ParseUnit(k.Tier); err == nil {
		label = u.BucketAt(k.Start).Label()
	}
	return Key{Partition(k.Series), keyparts.Join(ClassRow, k.Tier, k.Series.Kind, k.Series.Stream, label)}
}

// DynamoDB's limits for the two parts of a primary key.
const (
	maxPartitionBytes = 2048
	MaxSortBytes      = 1024
)

// Errors of Key.Check.
var (
	ErrKeyEmpty = errors.New("key is empty: the table needs both parts of a primary key")
	ErrKeyText  = errors.New(
		"key is not valid UTF-8: the table stores keys as strings; send ids, streams and names as UTF-8 text")
	ErrKeyLong = errors.New("key is too long")
)

// Check reports whether the table can store k: both parts are present and valid UTF-8,
// the partition key has at most 2,048 bytes and the sort key at most 1,024, counted after
// escaping. The error wraps ErrKeyEmpty, ErrKeyText or ErrKeyLong.
func (k Key) Check() error {
	if err := checkPart("partition", k.PK, maxPartitionBytes, "shorten the subject id"); err != nil {
		return err
	}
	return checkPart("sort", k.SK, MaxSortBytes, "shorten the event id or the stream")
}

func checkPart(name, part string, limit int, remedy string) error {
	switch {
	case part == "":
		return fmt.Errorf("%s %w", name, ErrKeyEmpty)
	case !utf8.ValidString(part):
		return fmt.Errorf("%s %w", name, ErrKeyText)
	case len(part) > limit:
		return fmt.Errorf("%s %w: %d bytes, the table stores at most %d; %s (space, !, \", #, $, "+
			"%% and control characters take three bytes each)",
			name, ErrKeyLong, len(part), limit, remedy)
	}
	return nil
}
