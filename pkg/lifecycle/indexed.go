package lifecycle

import (
	"hash/fnv"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// index puts a stored profile into the indexes of its subject type, by the fields it
// has, and takes it out of those whose field it lacks. An index that the type does not
// declare is somebody else's matter and left alone.
func index(it item.Item, p *model.Profile, spec *catalog.Profile) {
	for _, x := range spec.Indexes {
		it.SetIndex(x.Index, indexKey(p, x))
	}
}

func indexKey(p *model.Profile, x catalog.ProfileIndex) keys.Key {
	v, ok := p.Attrs.Get(x.Field)
	if !ok || v.Kind != model.Text || v.Text == "" {
		return keys.Key{}
	}
	return keys.ByField(p.Subject, x.Field, v.Text, shardOf(p.Subject.ID, x.Shards))
}

// shardOf places a subject on one of n shards of an index value, 1 to n, by FNV-1a of
// its id; 0 where the value is not spread. It stands in keys, so it never changes.
func shardOf(id string, n int) int {
	if n < 2 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return int(h.Sum64()%uint64(n)) + 1
}

func number(n int64) item.Value { return item.Value{Type: item.N, S: strconv.FormatInt(n, 10)} }
