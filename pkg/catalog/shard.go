package catalog

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ShardsOf returns the stored series that contain the events of s: s itself if the kind is not
// sharded, else its shards 1 to n. s.Shard is ignored. Rows have no shard.
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

// shardOf returns the shard of an event, 1 to n: an FNV-1a hash of its identity. It is part of
// stored keys, so this function must never change. Each part is preceded by its length, so
// that different identities have different bytes.
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
