package lifecycle

import (
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// bookkeeping are our own attributes that every change of a profile sets anew.
var bookkeeping = []string{keys.AttrVersion, keys.AttrUpdatedAt, keys.AttrNumber, keys.AttrLife, keys.AttrUnique}

// updating names what a patch changes, what of ours changes with it, and the keys of
// the declared indexes; whatever else stands in the item stays as it is. it is the
// profile as it will stand.
func updating(it item.Item, when Condition, patch model.Attrs, spec *catalog.Profile) Action {
	a := Action{Key: it.Key(), When: when, Set: item.Item{}}
	for _, f := range patch {
		name(&a, it, f.Name)
	}
	for _, attr := range bookkeeping {
		name(&a, it, attr)
	}
	for _, x := range spec.Indexes {
		pk, sk := item.IndexAttrs(x.Index)
		name(&a, it, pk)
		name(&a, it, sk)
	}
	return a
}

// name has a set an attribute to what it is in it, or remove it where it is not there.
func name(a *Action, it item.Item, attr string) {
	if v, there := it[attr]; there {
		a.Set[attr] = v
	} else {
		a.Remove = append(a.Remove, attr)
	}
}
