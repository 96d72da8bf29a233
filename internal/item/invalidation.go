package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/storedtime"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromInvalidation returns the stored form of i. It does not expire: only a sweep that
// has worked it off deletes it.
func FromInvalidation(i entity.Invalidation) Item {
	it, row := newItem(tablekeys.Invalidation(i), 2), keys.Row(i.Key)
	it[tablekeys.AttrRowPK], it[tablekeys.AttrRowSK] = stringOf(row.PK), stringOf(row.SK)
	return it
}

// Invalidation is the inverse of FromInvalidation. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Invalidation(it Item) (entity.Invalidation, error) {
	r := readerOf(it)
	row := keys.Key{PK: r.string(tablekeys.AttrRowPK, required), SK: r.string(tablekeys.AttrRowSK, required)}
	if r.err != nil {
		return entity.Invalidation{}, fmt.Errorf("read invalidation %.80q: %w", it.Key().SK, r.err)
	}
	key, err := keys.ParseRow(row)
	if err != nil {
		return entity.Invalidation{}, err
	}
	k := it.Key()
	due, err := storedtime.Parse(k.SK[:min(len(k.SK), len(model.TimeLayout))])
	i := entity.Invalidation{Due: due, Key: key}
	if err != nil || tablekeys.Invalidation(i) != k {
		return entity.Invalidation{}, fmt.Errorf("read invalidation %.80q: %w", k.SK, keys.ErrKeyForm)
	}
	return i, nil
}

// FromLowWatermark returns the stored form of the low watermark of a queue shard.
func FromLowWatermark(shard int, at model.Time) Item {
	it := newItem(tablekeys.LowWatermark(shard), 1)
	it[tablekeys.AttrAt] = timeOf(at)
	return it
}

// LowWatermark is the inverse of FromLowWatermark. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func LowWatermark(it Item) (shard int, at model.Time, err error) {
	if shard, err = tablekeys.ParseLowWatermark(it.Key()); err != nil {
		return 0, 0, err
	}
	r := readerOf(it)
	at = r.time(tablekeys.AttrAt, required)
	if r.err != nil {
		return 0, 0, fmt.Errorf("read low watermark %d: %w", shard, r.err)
	}
	return shard, at, nil
}
