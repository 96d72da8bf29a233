package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClassQuarantine begins the partition keys of quarantined items.
const ClassQuarantine = reserved.Quarantine

// Quarantine returns the key of a quarantined item: in the quarantine partition of its subject if
// the subject is known and fits in a key, else in its source's.
func Quarantine(q storage.Quarantined) keys.Key {
	k := keys.Key{PK: keyparts.Join(ClassQuarantine, q.Source), SK: keyparts.Join(q.ID)}
	if q.Subject.Type == "" || q.Subject.ID == "" {
		return k
	}
	bySubject := keys.Key{PK: QuarantinePartition(q.Subject), SK: k.SK}
	if bySubject.Check() != nil {
		return k
	}
	return bySubject
}

// QuarantinePartition returns the partition key of the quarantined items of a subject.
func QuarantinePartition(s model.Subject) string { return keyparts.Join(ClassQuarantine, s.Type, s.ID) }

// ParseQuarantine is the inverse of Quarantine: it returns the id, and either the subject
// or the source, whichever the partition key names.
func ParseQuarantine(k keys.Key) (id string, subject model.Subject, source string, err error) {
	var p [3]string
	n, err := keyparts.Split(k.PK, p[:])
	if err == nil {
		id, err = keyparts.Unescape(k.SK)
	}
	if err != nil || n < 2 || p[0] != ClassQuarantine {
		return "", model.Subject{}, "", formError(k, ClassQuarantine, err)
	}
	if n == 2 {
		return id, model.Subject{}, p[1], nil
	}
	return id, model.Subject{Type: p[1], ID: p[2]}, "", nil
}
