package ingest

import (
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// IndexEntry is a change of the latest item's key in a secondary index.
type IndexEntry struct {
	Index string
	Key   keys.Key // the zero Key removes the item from the index
}

// entriesOf returns the index entries that change when events, each newer than the one
// before, are appended. Indexes without an entry do not change. An event with all fields of
// an index sets the key; one with only some of them removes the item if the index is
// sparse.
func entriesOf(k *catalog.Kind, events ...*model.Event) (entries []IndexEntry) {
	for _, x := range k.LatestBy {
		change, changed := IndexEntry{Index: x.Index}, false
		for _, e := range events {
			by, present := valuesOf(e, x.By)
			sort, more := valuesOf(e, x.Sort)
			switch present += more; {
			case present == len(x.By)+len(x.Sort):
				change.Key, changed = tablekeys.LatestEntry(e.Series, by, sort), true
			case present > 0 && x.Half == catalog.HalfSparse:
				change.Key, changed = keys.Key{}, true
			}
		}
		if changed {
			entries = append(entries, change)
		}
	}
	return entries
}

// valuesOf returns the values of fields in the form of keys, and how many of the fields are
// present in e. A null field is not present.
func valuesOf(e *model.Event, fields []string) (values []string, present int) {
	for _, name := range fields {
		v, _ := e.Attrs.Get(name)
		if text, ok := v.Plain(); ok {
			values, present = append(values, text), present+1
		}
	}
	return values, present
}
