package memory

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// latestAction changes a latest item if its order and the caller's condition allow it. It
// sets the attributes that the write names and keeps all others.
func latestAction(w *ingest.LatestWrite) action {
	set := item.FromLatest(&model.Latest{
		Series: w.Series, Ordered: true, Order: w.Last, Hash: w.Hash, Attrs: w.Set, CreatedAt: w.Now,
	})
	where := satisfies(w.Condition)
	return action{
		key: set.Key(),
		condition: func(old item.Item) bool {
			_, locked := old[tablekeys.AttrPurgeLock]
			return !locked && inOrder(old, w) && where(old)
		},
		change: func(old item.Item) item.Item {
			created, kept := old[keys.AttrCreatedAt]
			image := update(old, set)
			for _, entry := range w.Entries {
				image.SetIndex(entry.Index, entry.Key)
			}
			if kept {
				image[keys.AttrCreatedAt] = created
			}
			return image
		},
	}
}

// inOrder reports whether the order of the write fits the stored one: for a creation there is no stored
// order; otherwise the stored order is before the first new one, or equal to it for a merge.
func inOrder(old item.Item, w *ingest.LatestWrite) bool {
	at, ordered := old[tablekeys.AttrAt]
	if w.Same {
		return at.S == w.First.At.String() && old[tablekeys.AttrID].S == w.First.ID
	}
	if w.Create || !ordered {
		return (w.Create || w.OrCreate) && !ordered
	}
	first := w.First.At.String()
	return at.Type == item.S && (at.S < first || at.S == first && textLess(old[tablekeys.AttrID], w.First.ID))
}

// notOf: the item is not purge locked and not of the event with the order; nil is no requirement.
func notOf(o *model.Order) func(item.Item) bool {
	return func(old item.Item) bool {
		_, locked := old[tablekeys.AttrPurgeLock]
		return o == nil || !locked && (old[tablekeys.AttrAt].S != o.At.String() || old[tablekeys.AttrID].S != o.ID)
	}
}

func textLess(v item.Value, s string) bool { return v.Type == item.S && v.S < s }

// update returns a copy of old with the attributes of set.
func update(old, set item.Item) item.Item {
	image := make(item.Item, len(old)+len(set))
	maps.Copy(image, old)
	maps.Copy(image, set)
	return image
}

// satisfies returns the function that evaluates the user's condition on an item.
func satisfies(c model.Condition) func(item.Item) bool {
	return func(old item.Item) bool {
		return !slices.ContainsFunc(c, func(t model.Term) bool { return !term(old, t) })
	}
}

func term(old item.Item, t model.Term) bool {
	stored, there := old[t.Field]
	if t.Op == model.Missing || t.Op == model.Exists {
		return there == (t.Op == model.Exists)
	}
	return there && comparisons[t.Op](stored, item.FromValue(t.Value))
}

// comparisons compare as DynamoDB does: values of different types are unequal and have no order.
var comparisons = map[model.Op]func(a, b item.Value) bool{
	model.Equal:    equal,
	model.NotEqual: func(a, b item.Value) bool { return !equal(a, b) },
	model.Begins:   beginsWith,
	model.Less:     ordered(func(c int) bool { return c < 0 }),
	model.AtMost:   ordered(func(c int) bool { return c <= 0 }),
	model.Greater:  ordered(func(c int) bool { return c > 0 }),
	model.AtLeast:  ordered(func(c int) bool { return c >= 0 }),
}

func beginsWith(a, b item.Value) bool {
	return a.Type == item.S && b.Type == item.S && strings.HasPrefix(a.S, b.S)
}

func equal(a, b item.Value) bool {
	x, readA := item.ToValue(a)
	y, readB := item.ToValue(b)
	return readA && readB && x == y
}

func ordered(holds func(int) bool) func(a, b item.Value) bool {
	return func(a, b item.Value) bool {
		x, readA := item.ToValue(a)
		y, readB := item.ToValue(b)
		if !readA || !readB || x.Kind != y.Kind {
			return false
		}
		if x.Kind == model.Number {
			return holds(x.Number.Cmp(y.Number))
		}
		return holds(strings.Compare(x.Text, y.Text))
	}
}

// validateConditions returns an error for each condition that DynamoDB would reject as malformed.
func validateConditions(tx *ingest.AppendTransaction) (mistakes []error) {
	var where model.Condition
	if tx.Latest != nil {
		where = tx.Latest.Condition
	}
	if tx.Check != nil {
		if where = tx.Check.Condition; len(where) == 0 && tx.Check.Not == nil {
			mistakes = append(mistakes, fmt.Errorf("%w: check latest item of %s: the condition is empty", errMalformed, tx.Check.Series))
		}
	}
	for _, t := range where {
		_, known := comparisons[t.Op]
		byOrder := known && t.Op != model.Equal && t.Op != model.NotEqual && t.Op != model.Begins
		switch {
		case !known && t.Op != model.Exists && t.Op != model.Missing:
			mistakes = append(mistakes, fmt.Errorf("%w: condition on %q: unknown comparison %q", errMalformed, t.Field, t.Op))
		case byOrder && t.Value.Kind != model.Number && t.Value.Kind != model.Text:
			mistakes = append(mistakes, fmt.Errorf("%w: condition on %q: only numbers and text have an order", errMalformed, t.Field))
		case t.Op == model.Begins && t.Value.Kind != model.Text:
			mistakes = append(mistakes, fmt.Errorf("%w: condition on %q: only text has a prefix", errMalformed, t.Field))
		}
	}
	return mistakes
}
