package tablekeys

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Classes of the items that the lifecycle of a profile writes in addition to it.
const (
	ClassVersion = "VERSION"
	ClassDeleted = "DELETED"       // of tombstones, and of the index partitions that list them
	ClassUnique  = reserved.Unique // of sentinels; each has its own partition
	classSubject = "SUBJECT"       // of the index partitions that find profiles by a field
)

// Prefixes of sort keys. Every item of the class has the prefix, and no other item has.
const (
	DeletedPrefix = ClassDeleted + string(separator)
	VersionPrefix = ClassVersion + string(separator)
)

// Tombstone returns the key of a subject's tombstone. A subject has at most one, so that
// a write can require its absence.
func Tombstone(s model.Subject) keys.Key {
	return keys.Key{PK: keys.SubjectPartition(s), SK: keyparts.Join(ClassDeleted, keys.ClassMetadata)}
}

// ParseTombstone is the inverse of Tombstone.
func ParseTombstone(k keys.Key) (model.Subject, error) {
	var p [2]string
	s, err := parseOwned(k, ClassDeleted, p[:])
	if err == nil && p[1] != keys.ClassMetadata {
		err = errForm
	}
	if err != nil {
		return model.Subject{}, formError(k, ClassDeleted, err)
	}
	return s, nil
}

// ClassMemberships is the sort key of the log of the groups that a subject's profile is in.
const ClassMemberships = "GROUPS"

// Memberships returns the key of the log of the groups that a subject's profile is in.
func Memberships(s model.Subject) keys.Key {
	return keys.Key{PK: keys.SubjectPartition(s), SK: ClassMemberships}
}

// ParseMemberships is the inverse of Memberships.
func ParseMemberships(k keys.Key) (model.Subject, error) {
	s, err := parseSubjectPartition(k.PK)
	if err == nil && k.SK != ClassMemberships {
		err = errForm
	}
	if err != nil {
		return model.Subject{}, formError(k, ClassMemberships, err)
	}
	return s, nil
}

// versionDigits is the fixed width of a version's number in its key. It is wide enough
// for every number up to MaxVersion, so that byte order is numeric order.
const versionDigits = 10

// MaxVersion is the highest version that a profile can have.
const MaxVersion = 9_999_999_999

// Version returns the key of a version of a subject's profile. n is from 1 to MaxVersion.
// The byte order of the sort keys is the order of the numbers.
func Version(s model.Subject, n int64) keys.Key {
	return keys.Key{PK: keys.SubjectPartition(s), SK: VersionPrefix + fmt.Sprintf("%0*d", versionDigits, n)}
}

// ParseVersion is the inverse of Version.
func ParseVersion(k keys.Key) (s model.Subject, n int64, err error) {
	var p [2]string
	s, err = parseOwned(k, ClassVersion, p[:])
	if err == nil && len(p[1]) != versionDigits {
		err = errors.New("the number has another width")
	}
	if err == nil {
		n, err = strconv.ParseInt(p[1], 10, 64)
	}
	if err == nil && (n < 1 || Version(s, n) != k) {
		err = errors.New("the number is not a version from 1 on")
	}
	if err != nil {
		return model.Subject{}, 0, formError(k, ClassVersion, err)
	}
	return s, n, nil
}

// Unique returns the key of the sentinel that reserves the values of a unique constraint
// for a subject type. The values are in the order of the constraint's fields.
func Unique(subjectType, constraint string, values ...string) keys.Key {
	return UniqueIn(keyparts.Join(append([]string{ClassUnique, subjectType, constraint}, values...)...))
}

// UniqueIn returns the key of the sentinel in a partition.
func UniqueIn(pk string) keys.Key { return keys.Key{PK: pk, SK: ClassUnique} }

// IsUnique reports whether a partition key is a sentinel's.
func IsUnique(pk string) bool { return strings.HasPrefix(pk, ClassUnique+string(separator)) }

// DeletedEntry returns the key of a tombstone in the first index: with all tombstones of
// its subject type, ordered by the time of deletion.
func DeletedEntry(s model.Subject, deletedAt model.Time) keys.Key {
	return keys.Key{PK: DeletedPartition(s.Type), SK: keyparts.Join(deletedAt.String(), s.ID)}
}

// DeletedPartition returns the partition key, in the first index, of the tombstones of a subject type.
func DeletedPartition(subjectType string) string { return keyparts.Join(ClassDeleted, subjectType) }

// ClassPurgeLock is the class of purge locks.
const ClassPurgeLock = reserved.PurgeLock

// JobPurge is the partition key of the purges that are not done: one query finds them all.
const JobPurge = classJob + string(separator) + "purge"

// Purge returns the key of the state of a purge that is not done.
func Purge(s model.Subject) keys.Key { return keys.Key{PK: JobPurge, SK: keyparts.Join(s.Type, s.ID)} }

// ParsePurge is the inverse of Purge.
func ParsePurge(k keys.Key) (model.Subject, error) {
	s, err := parseSubjectPartition(k.SK)
	if err == nil && k.PK != JobPurge {
		err = errors.New("the partition key has another form")
	}
	if err != nil {
		return model.Subject{}, formError(k, JobPurge, err)
	}
	return s, nil
}

// PurgeLock returns the key of the purge lock of a subject, which has a partition of its
// own. While the lock exists, nothing of the subject is written.
func PurgeLock(s model.Subject) keys.Key {
	return keys.Key{PK: keyparts.Join(ClassPurgeLock, s.Type, s.ID), SK: ClassPurgeLock}
}

// ParsePurgeLock is the inverse of PurgeLock.
func ParsePurgeLock(k keys.Key) (model.Subject, error) {
	var p [3]string
	n, err := keyparts.Split(k.PK, p[:])
	if err != nil || n != len(p) || p[0] != ClassPurgeLock || k.SK != ClassPurgeLock || p[1] == "" ||
		p[2] == "" {
		return model.Subject{}, formError(k, ClassPurgeLock, err)
	}
	return model.Subject{Type: p[1], ID: p[2]}, nil
}
