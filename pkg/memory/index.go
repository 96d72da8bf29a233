package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ByValue reads one page of the events that have a value. It looks at every item: an
// index is for tables that do not fit in memory.
func (t *Table) ByValue(ctx context.Context, r model.ByValue) (page model.IndexPage, _ error) {
	if err := alive(ctx, "read by value"); err != nil {
		return page, err
	}
	size := 0
	defer func() { took(ctx, len(page.Events), size, false) }()
	for _, it := range t.indexed(&r) {
		event, err := item.Event(it)
		if err != nil {
			continue
		}
		page.Events, size = append(page.Events, event), size+it.Size()
		if len(page.Events) == r.Limit || size >= pageBytes {
			key := event.Key()
			page.Last = &key
			return page, nil
		}
	}
	return page, nil
}

// indexed are the items of the range beyond r.After, in the order asked for.
func (t *Table) indexed(r *model.ByValue) []item.Item {
	pk := keys.IndexPartition(r.Kind, r.Field, r.Value)
	lo, hi := keys.IndexRange(r.From, r.To)
	direction, after := 1, ""
	if r.Newest {
		direction = -1
	}
	if r.After != nil {
		after = keys.Indexed(*r.After, r.Field, r.Value).SK
	}
	var found []item.Item
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.partitions {
		for _, it := range p.items {
			sk := it[keys.AttrGSI2SK].S
			beyond := after == "" || cmp.Compare(sk, after) == direction
			if it[keys.AttrGSI2PK].S == pk && lo <= sk && sk <= hi && beyond {
				found = append(found, it)
			}
		}
	}
	slices.SortFunc(found, func(a, b item.Item) int {
		return direction * strings.Compare(a[keys.AttrGSI2SK].S, b[keys.AttrGSI2SK].S)
	})
	return found
}

// Profile reads a subject's profile; nil where there is none. Every read is
// consistent; one that does not ask for it costs half.
func (t *Table) Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error) {
	it, err := t.read(ctx, "read profile", keys.Metadata(subject), consistent)
	if err != nil || it == nil {
		return nil, err
	}
	profile, err := item.Profile(it)
	if err != nil {
		return nil, err
	}
	return &profile, nil
}
