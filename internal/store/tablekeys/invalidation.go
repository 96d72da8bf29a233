package tablekeys

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClassInvalidation begins the partition keys of invalidations.
const ClassInvalidation = reserved.Invalidation

// JobSweep is the partition key of the low watermarks.
const JobSweep = classJob + string(separator) + "sweep"

// Classes in JobSweep.
const (
	classLowWatermark = "W"
	classQueueConfig  = "WRITERS"
)

// InvalidationPartition returns the partition key of a queue shard. The first generation has no number.
func InvalidationPartition(shard storage.QueueShard) string {
	return keyparts.Join(append([]string{ClassInvalidation}, shardParts(shard)...)...)
}

// ParseInvalidationPartition is the inverse of InvalidationPartition.
func ParseInvalidationPartition(pk string) (storage.QueueShard, error) {
	var p [3]string
	n, err := keyparts.Split(pk, p[:])
	if err != nil || n < 2 {
		return storage.QueueShard{}, formError(keys.Key{PK: pk}, ClassInvalidation, err)
	}
	shard, err := parseShard(p[1:n])
	if err != nil || InvalidationPartition(shard) != pk {
		return shard, formError(keys.Key{PK: pk}, ClassInvalidation, err)
	}
	return shard, nil
}

// groups is the part of a key that names storage.GroupShard.
const groups = "groups"

// shardParts returns the parts of a key that name a queue shard: the number of a later generation, and its
// own.
func shardParts(shard storage.QueueShard) []string {
	if shard == storage.GroupShard {
		return []string{groups}
	}
	if shard.Generation == 0 {
		return []string{strconv.Itoa(shard.Number)}
	}
	return []string{strconv.Itoa(shard.Generation), strconv.Itoa(shard.Number)}
}

// parseShard is the inverse of shardParts. The caller compares the key.
func parseShard(parts []string) (shard storage.QueueShard, err error) {
	if parts[0] == groups {
		return storage.GroupShard, nil
	}
	if len(parts) == 2 {
		if shard.Generation, err = strconv.Atoi(parts[0]); err != nil {
			return shard, err
		}
	}
	shard.Number, err = strconv.Atoi(parts[len(parts)-1])
	return shard, err
}

// Invalidation returns the key of an invalidation: in the partition of its queue shard, under its due time
// and a hash of its row's key and of the groups. The hash keeps the sort key short, however long these are.
// The
// byte order of the sort keys is the order of due times.
func Invalidation(i storage.Invalidation) keys.Key {
	row := keys.Row(i.Key)
	text := row.PK + "\x00" + row.SK
	if i.Groups != "" {
		text += "\x00" + i.Groups
	}
	sum := sha256.Sum256([]byte(text))
	return keys.Key{
		PK: InvalidationPartition(i.Shard),
		SK: keyparts.Join(i.Due.String(), hex.EncodeToString(sum[:16])),
	}
}

// InvalidationsUpTo returns the first and the last sort key that invalidations due up to
// a time, included, may have.
func InvalidationsUpTo(due model.Time) (lo, hi string) {
	return "0", due.String() + string(separator) + "~"
}

// QueueConfig returns the key of the generations of the queue. It sorts after the low watermarks: a query of
// both returns every generation that took an invalidation before the watermarks were read.
func QueueConfig() keys.Key { return keys.Key{PK: JobSweep, SK: classQueueConfig} }

// LowWatermark returns the key of the low watermark of a queue shard.
func LowWatermark(shard storage.QueueShard) keys.Key {
	parts := append([]string{classLowWatermark}, shardParts(shard)...)
	return keys.Key{PK: JobSweep, SK: keyparts.Join(parts...)}
}

// ParseLowWatermark is the inverse of LowWatermark.
func ParseLowWatermark(k keys.Key) (shard storage.QueueShard, err error) {
	var p [3]string
	n, err := keyparts.Split(k.SK, p[:])
	if err == nil && n > 1 {
		shard, err = parseShard(p[1:n])
	}
	if err != nil || shard.Number < 0 || LowWatermark(shard) != k {
		return shard, formError(k, classLowWatermark, err)
	}
	return shard, nil
}
