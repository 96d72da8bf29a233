package tablekeys

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ProfilePartition is a partition of an index of profiles: the profiles of a subject type that have
// these texts in these fields.
type ProfilePartition struct {
	SubjectType string
	By          []string // the fields and their texts: name, text, name, text, …
	// Sort are the fields that order the partition and their types: name, type, …. They are part of the
	// key: an index that is declared with another order finds no entry of the earlier one.
	Sort  []string
	Shard int // 1 to n if the index has n shards, and 0 if it has none
}

// Key returns the partition key: SUBJECT#DEVICE#accountId#acme. Different partitions have different keys. An
// empty part, which is no name of a field, is between By and Sort; an odd part at the end is the shard.
func (p ProfilePartition) Key() string {
	parts := append([]string{classSubject, p.SubjectType}, p.By...)
	if len(p.Sort) > 0 {
		parts = append(append(parts, ""), p.Sort...)
	}
	if p.Shard > 0 {
		parts = append(parts, strconv.Itoa(p.Shard))
	}
	return keyparts.Join(parts...)
}

// Entry returns the key of a profile in the partition. sort are the values of the fields of Sort, in a form
// whose byte order is their order.
func (p ProfilePartition) Entry(id string, sort []string) keys.Key {
	parts := append(make([]string, 0, len(sort)+1), sort...)
	return keys.Key{PK: p.Key(), SK: keyparts.Join(append(parts, id)...)}
}

// ProfileBound returns the sort key between the entries whose first sort value is less than value and all
// others. No entry has it.
func ProfileBound(value string) string { return keyparts.Join(value, "") }

// FieldEntry returns the key of a profile in an index that finds profiles by a field.
// shard is 1 to n if the index has n shards, and 0 if it has none.
func FieldEntry(s model.Subject, field, value string, shard int) keys.Key {
	return keys.Key{PK: FieldPartition(s.Type, field, value, shard), SK: keyparts.Join(s.ID)}
}

// FieldPartition returns the partition key, in an index, of the profiles of a subject
// type that have a value in a field.
func FieldPartition(subjectType, field, value string, shard int) string {
	return ProfilePartition{SubjectType: subjectType, By: []string{field, value}, Shard: shard}.Key()
}
