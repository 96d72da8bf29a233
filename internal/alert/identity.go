package alert

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/fnv"

	"github.com/oklog/ulid/v2"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// idOf is the id of the alert that an event of a series raises by a rule: its time is the
// event's, the rest a hash of who raised it. So an alert has one id, whoever raises it
// and however often, and sorts by the time of its event.
func idOf(s model.Series, raised model.Order, rule string) string {
	h := sha256.New()
	for _, part := range []string{s.Subject.Type, s.Subject.ID, s.Kind, s.Stream, raised.At.String(), raised.ID, rule} {
		h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	id := least(raised.At)
	copy(id[6:], h.Sum(nil))
	return id.String()
}

// least is the first id of a time. Times before 1970 and after the year 10889, which an
// id cannot hold, count as the nearest that it can.
func least(at model.Time) (id ulid.ULID) {
	_ = id.SetTime(uint64(min(max(at, 0), model.Time(ulid.MaxTime()))))
	return id
}

// greatest is the last id of a time.
func greatest(at model.Time) ulid.ULID {
	id := least(at)
	for i := 6; i < len(id); i++ {
		id[i] = 0xFF
	}
	return id
}

// indexShards are the partitions over which the open alerts of a severity are spread in
// the index, and the notices that wait: one takes 1,000 writes a second. It stands in
// keys, so it may only grow.
const indexShards = 8

// shardOf places an alert, and its notices, in the index.
func shardOf(alert string) int {
	h := fnv.New32a()
	h.Write([]byte(alert))
	return int(h.Sum32() % indexShards)
}

func stored(a *model.Alert) item.Item { return item.FromAlert(a, shardOf(a.ID)) }

func storedNotice(n *model.Notice) item.Item { return item.FromNotice(n, shardOf(n.Alert.ID)) }
