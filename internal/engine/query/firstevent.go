package query

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// HasEvents reports whether an event of a subject is stored, of any kind and stream. It finds events that the
// list of series lacks, because they are not processed yet. It costs a request for each partition of events.
func (s *Service) HasEvents(
	ctx context.Context, kinds *catalog.Catalog, subject model.Subject,
) (bool, error) {
	read := map[string]bool{}
	for i := range kinds.Kinds {
		k := &kinds.Kinds[i]
		if k.Subject.Name != subject.Type || !k.HasEvents() {
			continue
		}
		for _, series := range k.ShardSeries(model.Series{Subject: subject, Kind: k.Name}) {
			pk := keys.Partition(series)
			if read[pk] {
				continue
			}
			read[pk] = true
			first := itemop.ListRequest{Partition: pk, Prefix: tablekeys.EventPrefix, Limit: 1}
			page, err := s.Store.List(ctx, first)
			if err != nil || len(page.Items) > 0 {
				return err == nil, err
			}
		}
	}
	return false, nil
}

// FirstEvent returns a time before which no event of a series was processed; listed is false for a series
// that is not in the list of series.
func (s *Service) FirstEvent(ctx context.Context, q Series) (first model.Time, listed bool, _ error) {
	return firstListed(ctx, s.Store, q.Kind, q.unsharded())
}
