package ingest

import (
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// indexEntries returns the index entries that change when events, each newer than the one before, are
// appended. Indexes without an entry do not change. An event with all fields of an index sets the key; one
// with only some of them removes the item if the index is sparse.
func indexEntries(k *catalog.Kind, events ...*model.Event) (entries []storage.IndexEntry) {
	for _, x := range k.LatestBy {
		change, changed := storage.IndexEntry{Index: x.Index}, false
		for _, e := range events {
			by, named := fieldValues(e, x.By)
			sort, more := fieldValues(e, x.Sort)
			switch {
			case len(by) == len(x.By) && len(sort) == len(x.Sort):
				change.Key, changed = tablekeys.LatestEntry(e.Series, by, sort), true
			case named+more > 0 && x.Half == catalog.HalfSparse:
				change.Key, changed = keys.Key{}, true
			}
		}
		if changed {
			entries = append(entries, change)
		}
	}
	return entries
}

// fieldValues returns the values of fields in the form of keys, and how many of the fields e
// names: those that are null, which an enrichment removes, are named and have no value.
func fieldValues(e *model.Event, fields []string) (values []string, named int) {
	for _, name := range fields {
		v, present := e.Attrs.Get(name)
		if present {
			named++
		}
		if text, ok := v.Plain(); ok {
			values = append(values, text)
		}
	}
	return values, named
}

// checkEntry returns the error of an entry whose key the table cannot store.
func checkEntry(k *catalog.Kind, entry storage.IndexEntry) *model.FieldError {
	if entry.Key == (keys.Key{}) || entry.Key.Check() == nil {
		return nil
	}
	return fieldError("", CodeKeyTooLong,
		"the fields that index the latest items of %s in %s are too long for its key: shorten them", k.Name,
		entry.Index)
}
