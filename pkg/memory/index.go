package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// QueryIndex reads one page of events by the value of a field. It visits every item of the
// table.
func (t *Table) QueryIndex(ctx context.Context, r storage.EventIndexQuery) (page storage.EventIndexPage, _ error) {
	if err := checkContext(ctx, "query index"); err != nil {
		return page, err
	}
	size := 0
	defer func() { countRead(ctx, len(page.Events), size, false) }()
	for _, it := range t.indexedEvents(&r) {
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

// indexedEvents returns the items of the range after r.After, in the requested order.
func (t *Table) indexedEvents(r *storage.EventIndexQuery) []item.Item {
	pk := tablekeys.IndexPartition(r.Kind, r.Field, r.Value)
	lo, hi := tablekeys.IndexRange(r.From, r.To)
	direction, after := 1, ""
	if r.Newest {
		direction = -1
	}
	if r.After != nil {
		after = tablekeys.IndexEntry(*r.After, r.Field, r.Value).SK
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

// Profile reads a subject's profile; nil if there is none. Every read is consistent, but
// costs half unless consistent is set.
func (t *Table) Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error) {
	it, err := t.read(ctx, "read profile", keys.Metadata(subject), consistent)
	return table.Decode(it, err, item.Profile)
}

// LatestBy reads one page of latest items from an index.
func (t *Table) LatestBy(ctx context.Context, r storage.LatestIndexQuery) (storage.LatestPage, error) {
	return table.ListLatest(ctx, t, r)
}
