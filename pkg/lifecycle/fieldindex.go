package lifecycle

import (
	"hash/fnv"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// setIndexKeys sets the keys of a stored profile in the indexes of its subject type, and
// removes the keys of indexes whose field it lacks. It does not touch an index that the
// type does not declare, because another program may use it.
func setIndexKeys(it item.Item, p *model.Profile, spec *catalog.Profile) {
	for _, x := range spec.Indexes {
		it.SetIndex(x.Index, indexKey(p, x))
	}
}

func indexKey(p *model.Profile, x catalog.ProfileIndex) keys.Key {
	v, ok := p.Attrs.Get(x.Field)
	if !ok || v.Kind != model.Text || v.Text == "" {
		return keys.Key{}
	}
	return tablekeys.FieldEntry(p.Subject, x.Field, v.Text, shardOf(p.Subject.ID, x.Shards))
}

// shardOf returns the shard of a subject in an index with n shards, 1 to n, by FNV-1a of
// its id; it returns 0 if the index has no shards. Stored keys contain the shard, so this
// function must never change.
func shardOf(id string, n int) int {
	if n < 2 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return int(h.Sum64()%uint64(n)) + 1
}

func numberValue(n int64) item.Value {
	return item.Value{Type: item.N, S: strconv.FormatInt(n, 10)}
}
