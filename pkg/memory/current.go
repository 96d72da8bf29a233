package memory

import (
	"fmt"
	"maps"
	"strings"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// writeCurrent changes a current: on its own condition and on the caller's, it sets
// what the write names and touches nothing else.
func writeCurrent(w *ingest.CurrentWrite) action {
	set := item.FromCurrent(&model.Current{
		Series: w.Series, Ordered: true, Order: w.Last, Hash: w.Hash, Attrs: w.Set, CreatedAt: w.Now,
	})
	where := meets(w.Where)
	return action{
		key: set.Key(),
		holds: func(old item.Item) bool {
			_, fenced := old[keys.AttrFence]
			return !fenced && inOrder(old, w) && where(old)
		},
		become: func(old item.Item) item.Item {
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

// inOrder: at creation no event has made this current yet; ordinarily the stored
// order lies strictly before the first record high.
func inOrder(old item.Item, w *ingest.CurrentWrite) bool {
	at, ordered := old[keys.AttrAt]
	if w.Create || !ordered {
		return (w.Create || w.OrCreate) && !ordered
	}
	first := w.First.At.String()
	return at.Type == item.S && (at.S < first || at.S == first && isBelow(old[keys.AttrID], w.First.ID))
}

func isBelow(v item.Value, s string) bool { return v.Type == item.S && v.S < s }

// update is old with the attributes of set in place of its own. Neither is changed.
func update(old, set item.Item) item.Item {
	image := make(item.Item, len(old)+len(set))
	maps.Copy(image, old)
	maps.Copy(image, set)
	return image
}

// meets is a caller's condition: every term holds.
func meets(c ingest.Condition) func(item.Item) bool {
	return func(old item.Item) bool {
		for _, t := range c {
			if !term(old, t) {
				return false
			}
		}
		return true
	}
}

func term(old item.Item, t ingest.Term) bool {
	stored, there := old[t.Field]
	if t.Op == ingest.Missing || t.Op == ingest.Exists {
		return there == (t.Op == ingest.Exists)
	}
	return there && compares[t.Op](stored, item.FromValue(t.Value))
}

// compares are the comparisons as the server makes them: values of two types are
// unequal, and in no order.
var compares = map[ingest.Op]func(a, b item.Value) bool{
	ingest.Equal:    equal,
	ingest.NotEqual: func(a, b item.Value) bool { return !equal(a, b) },
	ingest.Begins:   begins,
	ingest.Less:     ordered(func(c int) bool { return c < 0 }),
	ingest.AtMost:   ordered(func(c int) bool { return c <= 0 }),
	ingest.Greater:  ordered(func(c int) bool { return c > 0 }),
	ingest.AtLeast:  ordered(func(c int) bool { return c >= 0 }),
}

func begins(a, b item.Value) bool {
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

// checkWhere refuses conditions that the server refuses whatever the item is.
func checkWhere(tx *ingest.Transaction) (mistakes []error) {
	var where ingest.Condition
	if tx.Current != nil {
		where = tx.Current.Where
	}
	if tx.Check != nil {
		if where = tx.Check.Where; len(where) == 0 {
			mistakes = append(mistakes, fmt.Errorf("%w: check current of %s: no condition to check", ErrMalformed, tx.Check.Series))
		}
	}
	for _, t := range where {
		_, known := compares[t.Op]
		byOrder := known && t.Op != ingest.Equal && t.Op != ingest.NotEqual && t.Op != ingest.Begins
		switch {
		case !known && t.Op != ingest.Exists && t.Op != ingest.Missing:
			mistakes = append(mistakes, fmt.Errorf("%w: condition on %q: comparison %q is unknown", ErrMalformed, t.Field, t.Op))
		case byOrder && t.Value.Kind != model.Number && t.Value.Kind != model.Text:
			mistakes = append(mistakes, fmt.Errorf("%w: condition on %q: only numbers and text have an order", ErrMalformed, t.Field))
		case t.Op == ingest.Begins && t.Value.Kind != model.Text:
			mistakes = append(mistakes, fmt.Errorf("%w: condition on %q: only text begins with something", ErrMalformed, t.Field))
		}
	}
	return mistakes
}
