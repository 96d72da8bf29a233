package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromInvalidation returns the stored form of i. It does not expire: only a sweep that
// has worked it off deletes it.
func FromInvalidation(i storage.Invalidation) Item {
	it, row := newItem(tablekeys.Invalidation(i), 2), keys.Row(i.Key)
	it[tablekeys.AttrRowPK], it[tablekeys.AttrRowSK] = stringValue(row.PK), stringValue(row.SK)
	if i.Groups != "" {
		it[tablekeys.AttrGroups] = stringValue(i.Groups)
	}
	return it
}

// Invalidation is the inverse of FromInvalidation. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Invalidation(it Item) (storage.Invalidation, error) {
	r := newReader(it)
	row := keys.Key{PK: r.string(tablekeys.AttrRowPK, required), SK: r.string(tablekeys.AttrRowSK, required)}
	groups := r.string(tablekeys.AttrGroups, optional)
	if r.err != nil {
		return storage.Invalidation{}, fmt.Errorf("read invalidation %.80q: %w", it.Key().SK, r.err)
	}
	key, err := keys.ParseRow(row)
	if err != nil {
		return storage.Invalidation{}, err
	}
	k := it.Key()
	shard, err := tablekeys.ParseInvalidationPartition(k.PK)
	if err != nil {
		return storage.Invalidation{}, err
	}
	due, err := storedtime.Parse(k.SK[:min(len(k.SK), len(model.TimeLayout))])
	i := storage.Invalidation{Due: due, Key: key, Shard: shard, Groups: groups}
	if err != nil || tablekeys.Invalidation(i) != k {
		return storage.Invalidation{}, fmt.Errorf("read invalidation %.80q: %w", k.SK, keys.ErrKeyForm)
	}
	return i, nil
}

// FromLowWatermark returns the stored form of the low watermark of a queue shard.
func FromLowWatermark(shard storage.QueueShard, at model.Time) Item {
	it := newItem(tablekeys.LowWatermark(shard), 1)
	it[tablekeys.AttrAt] = timeValue(at)
	return it
}

// LowWatermark is the inverse of FromLowWatermark. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func LowWatermark(it Item) (shard storage.QueueShard, at model.Time, err error) {
	if shard, err = tablekeys.ParseLowWatermark(it.Key()); err != nil {
		return shard, 0, err
	}
	r := newReader(it)
	at = r.time(tablekeys.AttrAt, required)
	if r.err != nil {
		return shard, 0, fmt.Errorf("read low watermark %v: %w", shard, r.err)
	}
	return shard, at, nil
}

// FromQueueConfig returns the stored form of c.
func FromQueueConfig(c storage.QueueConfig) Item {
	it := newItem(tablekeys.QueueConfig(), 2)
	it.setJSON(tablekeys.AttrConfig, c.Generations)
	it[tablekeys.AttrRev] = bytesValue(c.Rev[:])
	return it
}

// QueueConfig is the inverse of FromQueueConfig. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func QueueConfig(it Item) (storage.QueueConfig, error) {
	if it.Key() != tablekeys.QueueConfig() {
		return storage.QueueConfig{}, fmt.Errorf("read the configuration of the queue: %w", keys.ErrKeyForm)
	}
	r := newReader(it)
	c := storage.QueueConfig{Rev: r.bytes16(tablekeys.AttrRev, required)}
	r.json(tablekeys.AttrConfig, &c.Generations, "is not a list of generations", required)
	if r.err == nil && !validGenerations(c.Generations) {
		r.fail(tablekeys.AttrConfig, "has no generation that takes invalidations")
	}
	return decoded(&r, c, "the configuration of the queue")
}

// validGenerations reports whether there is a newest generation that is not retired, and each has queue
// shards.
func validGenerations(all storage.Generations) bool {
	for _, g := range all {
		if g.Shards < 1 {
			return false
		}
	}
	return len(all) > 0 && all.Newest().RetiredAt == 0
}
