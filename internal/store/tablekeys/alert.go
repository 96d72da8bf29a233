package tablekeys

import (
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Classes of the items of alerts. Alerts and notifications are stored in the partition of
// their subject, and a purge of the subject removes them.
const (
	ClassAlert        = "ALERT"
	ClassNotification = "NOTICE" // of changes of alerts, until they are delivered
	classOpen         = "OPEN"   // of the index partitions that list open alerts
	classOutbox       = "OUTBOX" // of the index partitions that list notifications
)

// Prefixes of sort keys. Every item of the class has the prefix, and no other item has.
const (
	AlertPrefix        = ClassAlert + string(separator)
	NotificationPrefix = ClassNotification + string(separator)
)

// Alert returns the key of an alert. The byte order of the sort keys is the order, to the
// millisecond, of the events that raised the alerts.
func Alert(s model.Subject, id string) keys.Key {
	return keys.Key{PK: keys.SubjectPartition(s), SK: keyparts.Join(ClassAlert, id)}
}

// ParseAlert is the inverse of Alert.
func ParseAlert(k keys.Key) (s model.Subject, id string, err error) {
	var p [2]string
	s, err = parseOwned(k, ClassAlert, p[:])
	if err != nil || p[1] == "" {
		return model.Subject{}, "", formError(k, ClassAlert, err)
	}
	return s, p[1], nil
}

// Notification returns the key of a notification. Each write of an alert has its own.
func Notification(n *storage.Notification) keys.Key {
	return keys.Key{
		PK: keys.SubjectPartition(n.Alert.Series.Subject),
		SK: keyparts.Join(ClassNotification, n.Alert.ID, hex.EncodeToString(n.Alert.Rev[:])),
	}
}

// ParseNotification is the inverse of Notification: it returns the subject, the id of the
// alert and the revision of the alert.
func ParseNotification(k keys.Key) (s model.Subject, alert string, rev [16]byte, err error) {
	var p [3]string
	s, err = parseOwned(k, ClassNotification, p[:])
	if err == nil && len(p[2]) != 2*len(rev) {
		err = errors.New("the revision has another length")
	}
	if err == nil {
		_, err = hex.Decode(rev[:], []byte(p[2]))
	}
	if err != nil || p[1] == "" {
		return model.Subject{}, "", rev, formError(k, ClassNotification, err)
	}
	return s, p[1], rev, nil
}

// OpenAlert returns the key of an open alert in the first index. The open alerts of a
// severity are spread over shards, so that many of them make no partition hot.
func OpenAlert(severity storage.Severity, id string, shard int) keys.Key {
	return keys.Key{PK: OpenPartition(severity, shard), SK: keyparts.Join(id)}
}

// OpenPartition returns the partition key of a shard of the open alerts of a severity, in the first index.
func OpenPartition(severity storage.Severity, shard int) string {
	return keyparts.Join(classOpen, string(severity), strconv.Itoa(shard))
}

// Outbox returns the key of an undelivered notification in the first index. The oldest
// notification of a shard comes first.
func Outbox(at model.Time, alert string, shard int) keys.Key {
	return keys.Key{PK: OutboxPartition(shard), SK: keyparts.Join(at.String(), alert)}
}

// OutboxPartition returns the partition key of a shard of the undelivered notifications, in the first index.
func OutboxPartition(shard int) string { return keyparts.Join(classOutbox, strconv.Itoa(shard)) }
