package keys

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Classes of what the life of a subject leaves.
const (
	ClassAlert   = "ALERT"
	ClassVersion = "VERSION" // of a subject's versions
	ClassDeleted = "DELETED" // of a subject's tombstone, and of the index partition that lists them
	ClassUnique  = "UNIQUE"  // of sentinels, which have partitions of their own
	ClassSubject = "SUBJECT" // of the index partitions that find profiles by a field
)

// DeletedPrefix begins the sort key of every tombstone and of nothing else.
const DeletedPrefix = ClassDeleted + string(separator)

// VersionPrefix begins the sort key of every version and of nothing else.
const VersionPrefix = ClassVersion + string(separator)

// CurrentPrefix begins the sort key of every current and of nothing else.
const CurrentPrefix = ClassCurrent + string(separator)

// AlertPrefix begins the sort key of every alert and of nothing else.
const AlertPrefix = ClassAlert + string(separator)

// RowsPrefix begins the sort key of every row and of nothing else.
const RowsPrefix = ClassRow + string(separator)

// RowPrefix begins the sort keys of all rows of a tier.
func RowPrefix(unit string) string { return join(ClassRow, unit, "") }

// JobPurge is the partition of the purges under way: a query of it finds all of them.
const JobPurge = classJob + string(separator) + "purge"

// Tombstone is the key of a subject's tombstone. A subject has one at most, so that
// its absence can be a condition.
func Tombstone(s model.Subject) Key {
	return Key{SubjectPartition(s), join(ClassDeleted, ClassMetadata)}
}

// ParseTombstone is the way back from Tombstone.
func ParseTombstone(k Key) (model.Subject, error) {
	var s model.Series
	err := parsePartition(k.PK, &s)
	if err != nil || k.SK != join(ClassDeleted, ClassMetadata) || s.Shard != 0 {
		return model.Subject{}, foreign(k, ClassDeleted, err)
	}
	return s.Subject, nil
}

// versionDigits is how wide a version's number is in its key: wide enough for every
// life there will be, so that bytes sort as numbers do.
const versionDigits = 10

// MaxVersion is the last version a subject may have.
const MaxVersion = 9_999_999_999

// Version is the key of a subject's version, from 1 to MaxVersion. Byte order of the
// sort keys is the order of the numbers.
func Version(s model.Subject, n int64) Key {
	return Key{SubjectPartition(s), VersionPrefix + fmt.Sprintf("%0*d", versionDigits, n)}
}

// ParseVersion is the way back from Version.
func ParseVersion(k Key) (s model.Subject, n int64, err error) {
	var series model.Series
	var p [2]string
	err = parse(k, ClassVersion, &series, p[:])
	if err == nil && len(p[1]) != versionDigits {
		err = errors.New("the number has another width")
	}
	if err == nil {
		n, err = strconv.ParseInt(p[1], 10, 64)
	}
	if err != nil || n < 1 || series.Shard != 0 || Version(series.Subject, n) != k {
		return model.Subject{}, 0, foreign(k, ClassVersion, err)
	}
	return series.Subject, n, nil
}

// Unique is the key of the sentinel that holds values of a constraint for a subject
// type. Values are in the order of the constraint's fields.
func Unique(subjectType, constraint string, values ...string) Key {
	return UniqueIn(join(append([]string{ClassUnique, subjectType, constraint}, values...)...))
}

// UniqueIn is the key of the sentinel in a partition of its own.
func UniqueIn(pk string) Key { return Key{pk, ClassUnique} }

// IsUnique reports whether a partition key is a sentinel's.
func IsUnique(pk string) bool {
	return len(pk) > len(ClassUnique) && pk[:len(ClassUnique)+1] == ClassUnique+string(separator)
}

// Purge is the key of what is remembered of a purge under way.
func Purge(s model.Subject) Key { return Key{JobPurge, join(s.Type, s.ID)} }

// ParsePurge is the way back from Purge.
func ParsePurge(k Key) (model.Subject, error) {
	s, err := parseSubject(k.SK)
	if err != nil || k.PK != JobPurge {
		return model.Subject{}, foreign(k, JobPurge, err)
	}
	return s, nil
}

// ParseGate is the way back from Gate.
func ParseGate(k Key) (model.Subject, error) {
	var p [3]string
	n, err := split(k.PK, p[:])
	if err != nil || n != len(p) || p[0] != ClassGate || k.SK != ClassGate || p[1] == "" || p[2] == "" {
		return model.Subject{}, foreign(k, ClassGate, err)
	}
	return model.Subject{Type: p[1], ID: p[2]}, nil
}

func parseSubject(text string) (model.Subject, error) {
	var p [2]string
	n, err := split(text, p[:])
	if err == nil && (n != len(p) || p[0] == "" || p[1] == "") {
		err = errors.New("it names no subject")
	}
	return model.Subject{Type: p[0], ID: p[1]}, err
}

// ByField is where a profile stands in an index that finds profiles by a field. Where
// the index is spread over shards, shard is 1 to n, else 0.
func ByField(s model.Subject, field, value string, shard int) Key {
	return Key{FieldPartition(s.Type, field, value, shard), join(s.ID)}
}

// FieldPartition is where the profiles of a subject type with a value of a field are
// found.
func FieldPartition(subjectType, field, value string, shard int) string {
	pk := join(ClassSubject, subjectType, field, value)
	if shard > 0 {
		pk += string(separator) + strconv.Itoa(shard)
	}
	return pk
}

// ByDeletion is where a tombstone stands in the first index: with all of its subject
// type, by the time of deletion.
func ByDeletion(s model.Subject, deletedAt model.Time) Key {
	return Key{DeletedPartition(s.Type), join(deletedAt.String(), s.ID)}
}

// DeletedPartition is where the tombstones of a subject type are found.
func DeletedPartition(subjectType string) string { return join(ClassDeleted, subjectType) }

// SubjectPartitions are all partitions that can hold a part of a subject when kinds
// are spread over so many shards at most.
func SubjectPartitions(s model.Subject, shards int) []string {
	all := []string{SubjectPartition(s)}
	for shard := 1; shard <= shards; shard++ {
		all = append(all, Partition(model.Series{Subject: s, Shard: shard}))
	}
	return all
}

// QuarantinePartition is where things are kept that a subject's observations left in
// quarantine.
func QuarantinePartition(s model.Subject) string { return join(ClassQuarantine, s.Type, s.ID) }
