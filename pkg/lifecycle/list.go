package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNoIndex says that a subject type declares no index by the field asked for.
var ErrNoIndex = fmt.Errorf("no index finds profiles by this field: declare one for the subject type")

// Found is one page of profiles found by an index. It may miss what was written in the
// last moments.
type Found struct {
	Profiles []model.Profile
	Next     Cursor // the zero Cursor on the last page
}

// Cursor is where a page of profiles ended.
type Cursor struct {
	Shard int // of the index value
	Place Place
}

// ByField reads one page of the profiles of a subject type whose field has a value, at
// most limit. Where the value is spread over shards, one is read after the other until
// the page is full: a request each, and what they answer is one list.
func (s *Service) ByField(ctx context.Context, subjectType, field, value string, after Cursor, limit int) (Found, error) {
	for _, x := range s.Profile(subjectType).Indexes {
		if x.Field == field {
			found, err := s.byField(ctx, subjectType, x, value, after, limit)
			if err != nil {
				err = fmt.Errorf("find %s by %s: %w", subjectType, field, err)
			}
			return found, err
		}
	}
	return Found{}, fmt.Errorf("find %s by %s: %w", subjectType, field, ErrNoIndex)
}

func (s *Service) byField(ctx context.Context, subjectType string, x catalog.ProfileIndex, value string, after Cursor, limit int) (all Found, _ error) {
	shard := after.Shard
	if shard == 0 && x.Shards > 1 {
		shard = 1
	}
	for place := after.Place; ; place = (Place{}) {
		found, err := s.found(ctx, Listing{
			Index: x.Index, Partition: keys.FieldPartition(subjectType, x.Field, value, shard), Limit: max(0, limit-len(all.Profiles)), After: place,
		}, item.Profile)
		if err != nil {
			return Found{}, err
		}
		all.Profiles = append(all.Profiles, found.Profiles...)
		switch full := limit > 0 && len(all.Profiles) >= limit; {
		case found.Next.Place != (Place{}):
			all.Next = Cursor{Shard: shard, Place: found.Next.Place}
			return all, nil
		case shard == 0 || shard == x.Shards:
			return all, nil
		case full:
			all.Next = Cursor{Shard: shard + 1}
			return all, nil
		}
		shard++
	}
}

// ListDeleted reads one page of the deleted subjects of a type, latest deletion first,
// at most limit. Those whose tombstone has expired are left out.
func (s *Service) ListDeleted(ctx context.Context, subjectType string, after Cursor, limit int) (Found, error) {
	found, err := s.found(ctx, Listing{
		Index: keys.IndexGSI1, Partition: keys.DeletedPartition(subjectType), Newest: true, Limit: limit, After: after.Place,
	}, item.Tombstone)
	if err != nil {
		return Found{}, fmt.Errorf("list deleted of %s: %w", subjectType, err)
	}
	return found, nil
}

func (s *Service) found(ctx context.Context, l Listing, decode func(item.Item) (model.Profile, error)) (Found, error) {
	page, err := s.Store.List(ctx, l)
	if err != nil {
		return Found{}, err
	}
	found, now := Found{Next: Cursor{Place: page.Next}}, s.Now()
	for _, it := range page.Items {
		p, err := decode(it)
		if err != nil {
			return Found{}, err
		}
		if !expired(p.ExpiresAt, now) {
			found.Profiles = append(found.Profiles, p)
		}
	}
	return found, nil
}
