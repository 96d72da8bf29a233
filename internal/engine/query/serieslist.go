package query

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// SeriesList requests the list of series of a subject type, or of one subject: those that ever had an event,
// sorted by subject, kind and stream. The entry of a profile has no kind.
type SeriesList struct {
	Subject model.Subject // without an id: all subjects of the type
	Prefix  string        // without an id: only subjects whose id begins with it
	Limit   int           // entries in a page or iteration; 0 means all
	Cursor  string
}

// SeriesPage is one page of the list of series.
type SeriesPage struct {
	Series []storage.ListedSeries
	Next   string
}

// Series reads one page of the list of series, by one Query for each of its shards. Where a page ends within
// a subject that is not its only one, all of that subject is on the next page.
func (s *Service) Series(ctx context.Context, q SeriesList) (SeriesPage, error) {
	p, err := s.seriesPager(q)
	if err != nil {
		return SeriesPage{}, err
	}
	found, next, err := p.page(ctx, q.Cursor, q.Limit)
	if err != nil || next == "" {
		return SeriesPage{Series: found}, err
	}
	end := len(found)
	for end > 0 && found[end-1].Series.Subject == found[len(found)-1].Series.Subject {
		end--
	}
	if end == 0 {
		return SeriesPage{found, next}, nil
	}
	next, err = p.cursors.seal(listOrder(&found[end-1]))
	return SeriesPage{found[:end], next}, err
}

// EachSeries returns an iterator over the list of series. An error comes last.
func (s *Service) EachSeries(ctx context.Context, q SeriesList) iter.Seq2[storage.ListedSeries, error] {
	p, err := s.seriesPager(q)
	if err != nil {
		return paging.Fail[storage.ListedSeries](err)
	}
	return p.all(ctx, q.Cursor, q.Limit)
}

// Streams returns the streams in which a subject has events of a kind.
func (s *Service) Streams(ctx context.Context, of Series) (streams []string, err error) {
	for l, err := range s.EachSeries(ctx, SeriesList{Subject: of.unsharded().Subject}) {
		if err != nil {
			return nil, err
		}
		if l.Series.Kind == of.Kind.Name {
			streams = append(streams, l.Series.Stream)
		}
	}
	return streams, nil
}

func listOrder(l *storage.ListedSeries) model.Order {
	return model.Order{ID: tablekeys.SeriesEntry(l.Series).SK}
}

func (s *Service) seriesPager(q SeriesList) (*pager[storage.ListedSeries, storage.ListedSeries], error) {
	if q.Limit < 0 {
		return nil, fmt.Errorf("limit %d: %w", q.Limit, ErrLimit)
	}
	if err := keys.Metadata(q.Subject).Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSeries, err)
	}
	prefix, partitions := "", make([]string, 0, tablekeys.SeriesShards)
	if q.Subject.ID != "" {
		pk, entries := tablekeys.SeriesEntries(q.Subject)
		prefix, partitions = entries, append(partitions, pk)
	} else {
		for shard := range tablekeys.SeriesShards {
			partitions = append(partitions, tablekeys.SeriesPartition(q.Subject.Type, shard))
		}
		prefix = tablekeys.SeriesPrefix(q.Prefix)
	}
	return &pager[storage.ListedSeries, storage.ListedSeries]{
		description: "the list of series of " + q.Subject.String(),
		cursors:     cursorsFor(s.cursorKeys(), "series", q.Subject.Type, q.Subject.ID, q.Prefix),
		shards: shardMerger[storage.ListedSeries]{
			shards: len(partitions),
			fetch: func(ctx context.Context, shard int, after string) ([]storage.ListedSeries, string, error) {
				return s.listPage(ctx, itemop.ListRequest{Partition: partitions[shard], Prefix: prefix, Limit: q.Limit},
					after)
			},
			position: func(_ int, past model.Order) string { return past.ID },
			order:    listOrder,
			visible:  q.includes,
		},
		build: func(group []storage.ListedSeries) storage.ListedSeries { return group[0] },
	}, nil
}

// includes reports whether the entry is of a subject of the request: keys of very long ids share a prefix.
func (q SeriesList) includes(l *storage.ListedSeries) bool {
	if q.Subject.ID == "" {
		return strings.HasPrefix(l.Series.Subject.ID, q.Prefix)
	}
	return l.Series.Subject == q.Subject
}

func (s *Service) listPage(ctx context.Context, l itemop.ListRequest,
	after string) ([]storage.ListedSeries, string, error) {
	if after != "" {
		l.After = itemop.Position{Key: keys.Key{PK: l.Partition, SK: after}}
	}
	page, err := s.Store.List(ctx, l)
	if err != nil {
		return nil, "", err
	}
	found := make([]storage.ListedSeries, len(page.Items))
	for i, it := range page.Items {
		if found[i], err = item.ListedSeries(it); err != nil {
			return nil, "", err
		}
	}
	return found, page.Next.Key.SK, nil
}
