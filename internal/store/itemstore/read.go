package itemstore

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Latest reads the latest item of a series; nil if there is none.
func (s Items) Latest(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error) {
	it, err := s.store.Read(ctx, "read latest item", keys.Latest(series), consistent)
	return itemop.Decode(it, err, item.Latest)
}

// Profile reads a subject's profile; nil if there is none.
func (s Items) Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error) {
	it, err := s.store.Read(ctx, "read profile", keys.Metadata(subject), consistent)
	return itemop.Decode(it, err, item.Profile)
}

// Row reads one row, or one share, strongly consistent; nil if there is none.
func (s Items) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	it, err := s.store.Read(ctx, "read rollup", tablekeys.Row(key), true)
	if key.Member != "" {
		return itemop.Decode(it, err, itemop.Share)
	}
	return itemop.Decode(it, err, itemop.Row)
}

// Shares reads one page of the shares of a group's bucket, strongly consistent. It skips items that are no
// shares.
func (s Items) Shares(ctx context.Context, bucket rollup.Key, after string) (page rollup.RowPage, _ error) {
	request := itemop.ListRequest{Partition: tablekeys.SharePartition(bucket)}
	if after != "" {
		request.After.Key = keys.Key{PK: request.Partition, SK: after}
	}
	items, err := s.store.Page(ctx, "read shares", &request)
	if err != nil {
		return page, err
	}
	page.Next = items.Next.Key.SK
	for _, it := range items.Items {
		if row, ok := item.ShareOrBare(it); ok {
			page.Rows = append(page.Rows, row)
		}
	}
	return page, nil
}

// Memberships reads the log of the groups that a subject's profile is in, strongly consistent.
func (s Items) Memberships(ctx context.Context, subject model.Subject) (storage.Memberships, error) {
	it, err := s.store.Read(ctx, "read groups", tablekeys.Memberships(subject), true)
	found, err := itemop.Decode(it, err, item.Memberships)
	if found == nil || err != nil {
		return storage.Memberships{Subject: subject}, err
	}
	return *found, nil
}

// SubjectSeries reads one page of the entries of a subject in the list of series, strongly consistent.
func (s Items) SubjectSeries(ctx context.Context, subject model.Subject,
	after string) (all []storage.ListedSeries, next string, _ error) {
	request := itemop.ListRequest{}
	request.Partition, request.Prefix = tablekeys.SeriesEntries(subject)
	if after != "" {
		request.After.Key = keys.Key{PK: request.Partition, SK: after}
	}
	page, err := s.store.Page(ctx, "read the list of series", &request)
	if err != nil {
		return nil, "", err
	}
	for _, it := range page.Items {
		l, err := item.ListedSeries(it)
		if err != nil {
			return nil, "", err
		}
		if l.Series.Subject == subject {
			all = append(all, l)
		}
	}
	return all, page.Next.Key.SK, nil
}

// PurgeLocked reports whether a subject has a purge lock, by a strongly consistent read.
func (s Items) PurgeLocked(ctx context.Context, subject model.Subject) (bool, error) {
	it, err := s.store.Read(ctx, "read purge lock", tablekeys.PurgeLock(subject), true)
	return it != nil, err
}

// KindConfig reads the configuration of a kind that the table was written under, strongly
// consistent; nil if none was applied.
func (s Items) KindConfig(ctx context.Context, kind string) (*storage.KindConfig, error) {
	it, err := s.store.Read(ctx, "read configuration", tablekeys.KindConfig(kind), true)
	return itemop.Decode(it, err, item.KindConfig)
}

// Rows reads one page of a series' rows. It skips items whose key is not a row's.
func (s Items) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	lo, hi := keys.RowRange(r.Series, unit, r.From, r.To)
	request, err := itemop.RangeRequest(&r, lo, hi)
	if err != nil {
		return rollup.RowPage{}, fmt.Errorf("read rollups: %w", err)
	}
	items, err := s.store.Page(ctx, "read rollups", &request)
	if err != nil {
		return rollup.RowPage{}, err
	}
	page := rollup.RowPage{Rows: make([]rollup.Row, 0, len(items.Items)), Next: items.Next.Key.SK}
	for _, it := range items.Items {
		if row, ok := item.RowOrBare(it); ok {
			page.Rows = append(page.Rows, row)
		}
	}
	return page, nil
}

// QueryIndex reads one page of events from the second index. It skips items that are not events.
func (s Items) QueryIndex(ctx context.Context, r storage.EventIndexQuery) (storage.EventIndexPage, error) {
	lo, hi := tablekeys.IndexRange(r.From, r.To)
	request := itemop.ListRequest{
		Index: keys.IndexGSI2, Partition: tablekeys.IndexPartition(r.Kind, r.Field, r.Value), From: lo, To: hi,
		Newest: r.Newest, Limit: r.Limit,
	}
	if r.After != nil {
		request.After = itemop.Position{Key: keys.Event(*r.After),
			Sort: tablekeys.IndexEntry(*r.After, r.Field, r.Value).SK}
	}
	items, err := s.store.Page(ctx, "query index", &request)
	if err != nil {
		return storage.EventIndexPage{}, err
	}
	page := storage.EventIndexPage{Events: itemop.DecodeAll(items.Items, item.Event)}
	if items.Next == (itemop.Position{}) {
		return page, nil
	}
	last, err := keys.ParseEvent(items.Next.Key)
	if err != nil {
		return storage.EventIndexPage{},
			fmt.Errorf("query index: the last item of the page is not an event: %w", err)
	}
	page.Last = &last
	return page, nil
}

// LatestBy reads one page of the latest items that an index finds by fields.
func (s Items) LatestBy(ctx context.Context, q storage.LatestIndexQuery) (storage.LatestPage, error) {
	request, err := latestRequest(q)
	if err != nil {
		return storage.LatestPage{}, err
	}
	page, err := s.store.Page(ctx, "list", &request)
	if err != nil {
		return storage.LatestPage{}, err
	}
	found := storage.LatestPage{Items: make([]model.Latest, len(page.Items)), Next: page.Next.Sort}
	for i, it := range page.Items {
		if found.Items[i], err = item.Latest(it); err != nil {
			return storage.LatestPage{}, err
		}
	}
	return found, nil
}

func latestRequest(q storage.LatestIndexQuery) (itemop.ListRequest, error) {
	l := itemop.ListRequest{
		Index: q.Index, Partition: tablekeys.LatestEntryPartition(q.Kind, q.Values),
		Prefix: tablekeys.LatestEntryPrefix(q.SortPrefix), Newest: q.Descending, Limit: q.Limit,
	}
	if q.After == "" {
		return l, nil
	}
	subject, stream, err := tablekeys.ParseLatestEntry(q.After, q.SortFields)
	if err != nil {
		return itemop.ListRequest{}, fmt.Errorf("position of a page of latest items: %w", err)
	}
	series := model.Series{Subject: model.Subject{Type: q.SubjectType, ID: subject}, Kind: q.Kind,
		Stream: stream}
	l.After = itemop.Position{Key: keys.Latest(series), Sort: q.After}
	return l, nil
}
