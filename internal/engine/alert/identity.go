package alert

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/fnv"

	"github.com/oklog/ulid/v2"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// alertID returns the id of the alert that an event of a series raises by a rule. It has the time of the
// event, followed by a hash of series, event and rule. So an alert that is raised repeatedly, or by several
// processes, has one id, and alerts sort by the time of their event.
func alertID(s model.Series, raised model.Order, rule string) string {
	h := sha256.New()
	for _, part := range []string{s.Subject.Type, s.Subject.ID, s.Kind, s.Stream, raised.At.String(), raised.ID,
		rule} {
		h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	id := firstID(raised.At)
	copy(id[6:], h.Sum(nil))
	return id.String()
}

// firstID returns the lowest id of a time. An id can represent the years 1970 to 10889;
// an earlier or later time gets the nearest of them.
func firstID(at model.Time) (id ulid.ULID) {
	_ = id.SetTime(uint64(min(max(at, 0), model.Time(ulid.MaxTime()))))
	return id
}

// lastID returns the highest id of a time.
func lastID(at model.Time) ulid.ULID {
	id := firstID(at)
	for i := 6; i < len(id); i++ {
		id[i] = 0xFF
	}
	return id
}

// indexShards is the number of index partitions for the open alerts of a severity, and for
// undelivered notifications: a partition accepts 1,000 writes a second. Stored keys
// contain the shard, so this number may only grow.
const indexShards = 8

// shardIndex returns the index shard of an alert and its notifications.
func shardIndex(alert string) int {
	h := fnv.New32a()
	h.Write([]byte(alert))
	return int(h.Sum32() % indexShards)
}

func alertItem(a *storage.Alert) item.Item { return item.FromAlert(a, shardIndex(a.ID)) }

func notificationItem(n *storage.Notification) item.Item {
	return item.FromNotification(n, shardIndex(n.Alert.ID))
}
