// Package keys is the grammar of the table's keys: the one place where a partition
// key, a sort key, an attribute name or an index name is spelled. Parts are escaped,
// so that no value forges a key or leaves its prefix, and byte order of sort keys is
// time order.
//
// The functions that build keys are total: they answer a key for any input, and
// Key.Check says whether the table can hold it. The functions that parse are strict:
// they accept exactly what the builders make, so a key has one spelling.
//
// For keys of one's own, in this table or another, there are helpers beside the
// grammar: composite and entity keys, hierarchies, edges, time keys and their ranges,
// keys spread over shards, sparse index values. They promise the same, order and no
// ambiguity, but refuse what would be ambiguous where the grammar escapes it.
//
// A sort key is also a page position: the cursor of a page of events or rows is the
// sort key of its last item, and the next page starts strictly beyond it.
package keys

import (
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Key is a primary key.
type Key struct{ PK, SK string }

// Partition is where the events, current and rollups of s live: TYPE#id, or
// TYPE#id#shard where the kind is spread.
func Partition(s model.Series) string {
	if s.Shard > 0 {
		return join(s.Subject.Type, s.Subject.ID, strconv.Itoa(s.Shard))
	}
	return SubjectPartition(s.Subject)
}

// SubjectPartition is where what belongs to a subject as a whole lives: TYPE#id.
func SubjectPartition(s model.Subject) string { return join(s.Type, s.ID) }

// Metadata is the key of a subject's profile.
func Metadata(s model.Subject) Key { return Key{SubjectPartition(s), ClassMetadata} }

// Current is the key of a series' current.
func Current(s model.Series) Key {
	return Key{Partition(s), join(ClassCurrent, s.Kind, s.Stream)}
}

// Event is the key of an event. Within a series, byte order of the sort keys is the
// order of model.Order: by event time, then by id as bytes.
func Event(k model.EventKey) Key {
	return Key{Partition(k.Series), join(ClassEvent, k.Series.Kind, k.Series.Stream, k.At.String(), k.ID)}
}

// Row is the key of a rollup. Within a series and tier, byte order of the sort keys
// is time order. k.Tier must be the name of a unit, as hour.
func Row(k rollup.Key) Key {
	label := k.Start.String()
	if u, err := tier.ParseUnit(k.Tier); err == nil {
		label = u.BucketOf(k.Start).Label()
	}
	return Key{Partition(k.Series), join(ClassRow, k.Tier, k.Series.Kind, k.Series.Stream, label)}
}

// Gate is the key of a subject's purge gate, which stands in a partition of its own:
// while it is there, nothing of the subject is written.
func Gate(s model.Subject) Key { return Key{join(ClassGate, s.Type, s.ID), ClassGate} }

// Quarantine is the key of a quarantined thing: in the partition of its subject's
// quarantine where the subject is known and fits a key, else in that of its door.
func Quarantine(q model.Quarantined) Key {
	k := Key{join(ClassQuarantine, q.Door), join(q.ID)}
	if q.Subject.Type == "" || q.Subject.ID == "" {
		return k
	}
	bySubject := Key{join(ClassQuarantine, q.Subject.Type, q.Subject.ID), k.SK}
	if bySubject.Check() != nil {
		return k
	}
	return bySubject
}
