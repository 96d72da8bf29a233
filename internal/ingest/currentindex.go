package ingest

import (
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// IndexEntry is what an append does to the place of current in an index.
type IndexEntry struct {
	Index string
	Key   keys.Key // the zero Key takes current out of the index
}

// entriesOf is what events, each newer than the one before, leave of current's entries:
// what appending them one by one would. An index that is not in it stays as it is.
func entriesOf(k *catalog.Kind, events ...*model.Event) (entries []IndexEntry) {
	for _, x := range k.CurrentBy {
		left, changed := IndexEntry{Index: x.Index}, false
		for _, e := range events {
			by, brought := valuesOf(e, x.By)
			sort, more := valuesOf(e, x.Sort)
			switch brought += more; {
			case brought == len(x.By)+len(x.Sort):
				left.Key, changed = keys.CurrentEntry(e.Series, by, sort), true
			case brought > 0 && x.Half == catalog.HalfSparse:
				left.Key, changed = keys.Key{}, true
			}
		}
		if changed {
			entries = append(entries, left)
		}
	}
	return entries
}

// valuesOf are the values of fields as keys say them, and how many of them e brings;
// null brings nothing.
func valuesOf(e *model.Event, fields []string) (values []string, brought int) {
	for _, name := range fields {
		v, _ := e.Attrs.Get(name)
		if text, ok := v.Plain(); ok {
			values, brought = append(values, text), brought+1
		}
	}
	return values, brought
}
