package tablekeys

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClassPurgeLock is the class of purge locks.
const ClassPurgeLock = "GATE"

// JobPurge is the partition key of the purges that are not done: one query finds them all.
const JobPurge = classJob + string(separator) + "purge"

// Purge returns the key of the state of a purge that is not done.
func Purge(s model.Subject) keys.Key {
	return keys.Key{PK: JobPurge, SK: keyparts.Join(s.Type, s.ID)}
}

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
	if err != nil || n != len(p) || p[0] != ClassPurgeLock || k.SK != ClassPurgeLock || p[1] == "" || p[2] == "" {
		return model.Subject{}, formError(k, ClassPurgeLock, err)
	}
	return model.Subject{Type: p[1], ID: p[2]}, nil
}
