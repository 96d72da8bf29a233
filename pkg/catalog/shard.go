package catalog

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ShardsOf are the series that together hold what s, whatever its Shard, says: s
// itself where the kind is not spread, else its shards 1 to n. Readers ask each and
// merge.
func (k *Kind) ShardsOf(s model.Series) []model.Series {
	if k.Shards <= 1 {
		s.Shard = 0
		return []model.Series{s}
	}
	all := make([]model.Series, k.Shards)
	for i := range all {
		all[i] = s
		all[i].Shard = i + 1
	}
	return all
}

// shardOf places an event on one of n shards, 1 to n, by FNV-1a over its identity.
// The shard is part of stored keys, so this function never changes. Each part is
// preceded by its length, so that no two identities are the same bytes.
func shardOf(s model.Series, o model.Order, n int) int {
	h := fnv.New64a()
	var length [8]byte
	for _, part := range []string{s.Subject.Type, s.Subject.ID, s.Kind, s.Stream, o.At.String(), o.ID} {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return int(h.Sum64()%uint64(n)) + 1
}
