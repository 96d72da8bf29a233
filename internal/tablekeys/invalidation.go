package tablekeys

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClassInvalidation begins the partition keys of invalidations.
const ClassInvalidation = "INVALIDATION"

// JobSweep is the partition key of the low watermarks.
const JobSweep = classJob + string(separator) + "sweep"

const classLowWatermark = "W"

// QueueShards is how many partitions the queue of invalidations has.
const QueueShards = 4

// QueueShard returns the queue shard of a series. It depends on the series alone, so that
// one low watermark covers all its buckets. All shards of a spread series have the same.
func QueueShard(s model.Series) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(keyparts.Join(s.Subject.Type, s.Subject.ID, s.Kind, s.Stream))) // it never fails
	return int(h.Sum64() >> 32 % QueueShards)
}

// InvalidationPartition returns the partition key of a queue shard.
func InvalidationPartition(shard int) string {
	return keyparts.Join(ClassInvalidation, strconv.Itoa(shard))
}

// Invalidation returns the key of an invalidation: in the partition of its queue shard, under its due time
// and a hash of its row's key. The hash keeps the sort key short, however long the key of the row is. The
// byte order of the sort keys is the order of due times.
func Invalidation(i entity.Invalidation) keys.Key {
	row := keys.Row(i.Key)
	sum := sha256.Sum256([]byte(row.PK + "\x00" + row.SK))
	return keys.Key{
		PK: InvalidationPartition(QueueShard(i.Key.Series)),
		SK: keyparts.Join(i.Due.String(), hex.EncodeToString(sum[:16])),
	}
}

// InvalidationsUpTo returns the first and the last sort key that invalidations due up to
// a time, included, may have.
func InvalidationsUpTo(due model.Time) (lo, hi string) {
	return "0", due.String() + string(separator) + "~"
}

// LowWatermark returns the key of the low watermark of a queue shard.
func LowWatermark(shard int) keys.Key {
	return keys.Key{PK: JobSweep, SK: keyparts.Join(classLowWatermark, strconv.Itoa(shard))}
}

// ParseLowWatermark is the inverse of LowWatermark.
func ParseLowWatermark(k keys.Key) (shard int, err error) {
	var p [2]string
	n, err := keyparts.Split(k.SK, p[:])
	if err == nil && n == 2 {
		shard, err = strconv.Atoi(p[1])
	}
	if err != nil || shard < 0 || LowWatermark(shard) != k {
		return 0, formError(k, classLowWatermark, err)
	}
	return shard, nil
}
