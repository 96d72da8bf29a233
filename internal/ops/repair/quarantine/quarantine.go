// Package quarantine lists and retries what the functions could not process and kept: observations from a
// source without a caller to respond to, and records of the table stream.
package quarantine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Entry is one quarantined thing and the key it is stored under.
type Entry struct {
	storage.Quarantined
	Key     keys.Key
	Damaged error // why the stored item cannot be read completely; nil if it can
}

// Filter selects entries. The zero value selects all.
type Filter struct {
	Subject model.Subject
	Source  string // iot, sqs, kinesis, stream
}

// NotFoundError says that no selected entry has an ID.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("nothing with the id %q is in quarantine", e.ID)
}

// List returns the entries of a filter by time of arrival. With a subject it reads one
// partition, without one the whole table. A damaged entry is in every source's list.
func List(ctx context.Context, table tablescan.Table, kinds *catalog.Catalog,
	f Filter) (all []Entry, err error) {
	visit := func(it item.Item) bool {
		if _, _, _, err := tablekeys.ParseQuarantine(it.Key()); err != nil {
			return true
		}
		q, err := item.Quarantined(it)
		if f.Source == "" || q.Source == f.Source || err != nil {
			all = append(all, Entry{Quarantined: q, Key: it.Key(), Damaged: err})
		}
		return true
	}
	if f.Subject == (model.Subject{}) {
		err = tablescan.Walk(ctx, table, kinds, model.Subject{}, visit)
	} else {
		_, err = tablescan.Partition(ctx, table, tablekeys.QuarantinePartition(f.Subject), visit)
	}
	if err != nil {
		return nil, fmt.Errorf("list the quarantine: %w", err)
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(a.ArrivedAt, b.ArrivedAt) })
	return all, nil
}

// Select returns the entries with these IDs, in the order of the IDs. An ID without an
// entry is a *NotFoundError.
func Select(all []Entry, ids []string) ([]Entry, error) {
	var chosen []Entry
	for _, id := range ids {
		i := slices.IndexFunc(all, func(e Entry) bool { return e.ID == id })
		if i < 0 {
			return nil, &NotFoundError{ID: id}
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
