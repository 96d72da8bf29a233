package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// WriteKeys is the partition key of the write keys of senders.
const WriteKeys = classJob + string(separator) + "writekeys"

const classWriteKey = "WRITEKEY"

// AttrWriteKey is the attribute with a write key.
const AttrWriteKey = "_key" // String: JSON of entity.WriteKey

// WriteKey returns the key of a write key.
func WriteKey(id string) keys.Key {
	return keys.Key{PK: WriteKeys, SK: keyparts.Join(classWriteKey, id)}
}

// ParseWriteKey is the inverse of WriteKey.
func ParseWriteKey(k keys.Key) (id string, _ error) {
	id, err := parseJob(k, WriteKeys, classWriteKey)
	if err == nil && id == "" {
		err = formError(k, classWriteKey, nil)
	}
	return id, err
}
