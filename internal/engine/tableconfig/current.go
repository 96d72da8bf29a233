package tableconfig

import (
	"context"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// MaxAge is how long a process may run by a configuration of the table before it reads it
// again. With the longest invocation it is less than Lead.
const MaxAge = 5 * time.Minute

// Current holds the table's kinds for a process that recomputes rows. It is not safe
// for concurrent use.
type Current struct {
	Table   Reader
	Declare func() (*catalog.Catalog, error) // returns a new catalog of the declared kinds
	Now     func() model.Time

	kinds  *catalog.Catalog
	readAt model.Time
}

// Kinds returns the kinds, and whether they differ from the result of the call before. The table is
// read if that call is MaxAge ago. The errors are Load's: then nothing may be recomputed.
func (c *Current) Kinds(ctx context.Context) (_ *catalog.Catalog, changed bool, _ error) {
	now := c.Now()
	if c.kinds != nil && now >= c.readAt && now.Sub(c.readAt) < MaxAge {
		return c.kinds, false, nil
	}
	kinds, err := c.Declare()
	if err == nil {
		err = Load(ctx, c.Table, kinds, now)
	}
	if err != nil {
		return nil, false, err
	}
	changed = c.kinds == nil || !same(c.kinds, kinds)
	if changed {
		c.kinds = kinds
	}
	c.readAt = now
	return c.kinds, changed, nil
}

// Built is a value that is built for the kinds of the table, and again when they change.
type Built[V any] struct {
	*Current
	Build func(*catalog.Catalog) V

	value V
}

// Value returns what Build returned for the present kinds. It returns the errors of Kinds. It must
// not be called concurrently.
func (b *Built[V]) Value(ctx context.Context) (V, error) {
	kinds, changed, err := b.Kinds(ctx)
	if err == nil && changed {
		b.value = b.Build(kinds)
	}
	return b.value, err
}

// same compares what Load replaces. a and b have the same declared kinds.
func same(a, b *catalog.Catalog) bool {
	for i := range a.Kinds {
		x, y := &a.Kinds[i], &b.Kinds[i]
		if !reflect.DeepEqual(x.Retention, y.Retention) || !reflect.DeepEqual(x.Spec(), y.Spec()) {
			return false
		}
	}
	return true
}
