package lifecycle

import (
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// managedAttrs are the attributes that every change of a profile sets.
var managedAttrs = []string{keys.AttrVersion, tablekeys.AttrUpdatedAt, tablekeys.AttrProfileVersion, tablekeys.AttrGeneration, tablekeys.AttrUnique}

// updateAction returns an update of the fields of patch, the managed attributes and the
// keys of the declared indexes. All other attributes of the stored item stay as they are.
// it is the profile after the change.
func updateAction(it item.Item, when table.Precondition, patch model.Attrs, spec *catalog.Profile) table.Action {
	a := table.Action{Key: it.Key(), Precondition: when, Set: item.Item{}}
	for _, f := range patch {
		setOrRemove(&a, it, f.Name)
	}
	for _, attr := range managedAttrs {
		setOrRemove(&a, it, attr)
	}
	for _, x := range spec.Indexes {
		pk, sk := item.IndexAttrs(x.Index)
		setOrRemove(&a, it, pk)
		setOrRemove(&a, it, sk)
	}
	return a
}

// setOrRemove makes the action set an attribute to its value in it, or remove the
// attribute if it lacks one.
func setOrRemove(a *table.Action, it item.Item, attr string) {
	if v, ok := it[attr]; ok {
		a.Set[attr] = v
	} else {
		a.Remove = append(a.Remove, attr)
	}
}
