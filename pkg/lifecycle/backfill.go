package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Backfill adds the existing profiles of a subject type to indexes, unique constraints and groups that were
// declared later. Until it has returned nil, these find only newer profiles. Call it when all processes know
// the declaration. It calls each with every subject and the result of its profile: Updated, Unchanged,
// NotFound if it was deleted meanwhile, or Taken if another profile has the value; that profile is left as
// it is. It finds the profiles that were created by this package. It ends with the first error, also of
// each. To resume, pass the id of the last subject as after; "" begins.
func (s *Service) Backfill(ctx context.Context, subjectType, after string,
	each func(model.Subject, Result) error) error {
	resume := itemop.Position{}
	if after != "" {
		resume.Key = tablekeys.SeriesEntry(model.Series{Subject: model.Subject{Type: subjectType, ID: after}})
	}
	for shard := range tablekeys.SeriesShards {
		l := itemop.ListRequest{Partition: tablekeys.SeriesPartition(subjectType, shard)}
		switch {
		case l.Partition == resume.Key.PK:
			l.After, resume = resume, itemop.Position{}
		case resume.Key.PK != "":
			continue
		}
		if err := s.backfillShard(ctx, l, each); err != nil {
			return fmt.Errorf("backfill %s: %w", subjectType, err)
		}
	}
	return nil
}

func (s *Service) backfillShard(ctx context.Context, l itemop.ListRequest,
	each func(model.Subject, Result) error) error {
	for it, err := range itemop.Items(ctx, s.Store, l) {
		if err != nil {
			return err
		}
		entry, err := item.ListedSeries(it)
		if err != nil {
			return err
		}
		if entry.Series.Kind != "" {
			continue // of events
		}
		result, err := s.reindex(ctx, entry)
		if err == nil {
			err = each(entry.Series.Subject, result)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reindex writes the index keys, the groups and the name in the list, and claims the unique values, of a
// profile that lacks some.
func (s *Service) reindex(ctx context.Context, entry storage.ListedSeries) (Result, error) {
	subject := entry.Series.Subject
	spec := s.profile(subject.Type)
	return s.execute(ctx, "backfill", subject,
		func(ctx context.Context, known sentinelState) (*change, Result, error) {
			it, err := s.Store.GetItem(ctx, keys.Metadata(subject))
			old, err := itemop.Decode(it, err, item.Profile)
			switch {
			case err != nil:
				return nil, Result{}, err
			case old == nil || expired(old.ExpiresAt, s.now()):
				return nil, Result{Outcome: NotFound}, nil
			}
			_, moved, err := s.moved(ctx, old, &spec)
			named := listed(old) == entry
			if err != nil || moved == nil && named && isIndexed(it, old, &spec) {
				return nil, Result{Outcome: Unchanged, Profile: old}, err
			}
			p := *old
			c, err := s.updated(ctx, &p, old, nil, &spec, known)
			if err == nil && !named {
				c.addListed(&p)
			}
			return c, Result{}, err
		})
}

// isIndexed reports whether a stored profile has the index keys and sentinels of spec.
func isIndexed(it item.Item, p *model.Profile, spec *catalog.Profile) bool {
	sentinels := lists.Map(claims(p.Subject, spec, p.Attrs), func(c claim) string { return c.partition })
	return slices.Equal(sentinels, p.Sentinels) &&
		!slices.ContainsFunc(spec.Indexes, func(x catalog.ProfileIndex) bool {
			return it.IndexKey(x.Index) != indexKey(p, x)
		})
}
