package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNoIndex is returned for a field that no index of the subject type uses.
var ErrNoIndex = errors.New("no index finds profiles by this field: declare one for the subject type")

// ProfilePage is one page of profiles from an index. Writes of the last moments may be missing.
type ProfilePage struct {
	Profiles []model.Profile
	Next     Cursor // the zero Cursor on the last page
}

// Cursor is the end of a page of profiles.
type Cursor struct {
	Shard    int // of the index value; 0 if it has none
	Position itemop.Position
}

// ListByField reads one page of the profiles of a subject type that have a value in a
// field, at most limit. If the value is spread over shards, it reads one shard after the
// other, with one request each, until the page is full.
func (s *Service) ListByField(ctx context.Context, subjectType, field, value string, after Cursor,
	limit int) (ProfilePage, error) {
	for _, x := range s.profile(subjectType).Indexes {
		if x.Field == field {
			found, err := s.listByField(ctx, subjectType, x, value, after, limit)
			if err != nil {
				err = fmt.Errorf("list %s by %s: %w", subjectType, field, err)
			}
			return found, err
		}
	}
	return ProfilePage{}, fmt.Errorf("list %s by %s: %w", subjectType, field, ErrNoIndex)
}

func (s *Service) listByField(ctx context.Context, subjectType string, x catalog.ProfileIndex, value string,
	after Cursor, limit int) (all ProfilePage, _ error) {
	shard := after.Shard
	if shard == 0 && x.Shards > 1 {
		shard = 1
	}
	for position := after.Position; ; position = (itemop.Position{}) {
		found, err := s.listProfiles(ctx, itemop.ListRequest{
			Index: x.Index, Partition: tablekeys.FieldPartition(subjectType, x.Field, value, shard),
			Limit: max(0, limit-len(all.Profiles)), After: position,
		}, item.Profile)
		if err != nil {
			return ProfilePage{}, err
		}
		all.Profiles = append(all.Profiles, found.Profiles...)
		switch full := limit > 0 && len(all.Profiles) >= limit; {
		case found.Next.Position != (itemop.Position{}):
			all.Next = Cursor{Shard: shard, Position: found.Next.Position}
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

// ListDeleted reads one page of the deleted profiles of a subject type, latest deletion
// first, at most limit. It leaves out expired tombstones.
func (s *Service) ListDeleted(ctx context.Context, subjectType string, after Cursor,
	limit int) (ProfilePage, error) {
	found, err := s.listProfiles(ctx, itemop.ListRequest{
		Index: keys.IndexGSI1, Partition: tablekeys.DeletedPartition(subjectType), Newest: true, Limit: limit,
		After: after.Position,
	}, item.Tombstone)
	if err != nil {
		return ProfilePage{}, fmt.Errorf("list deleted %s: %w", subjectType, err)
	}
	return found, nil
}

func (s *Service) listProfiles(ctx context.Context, l itemop.ListRequest,
	decode func(item.Item) (model.Profile, error)) (ProfilePage, error) {
	page, err := s.Store.List(ctx, l)
	if err != nil {
		return ProfilePage{}, err
	}
	found, now := ProfilePage{Next: Cursor{Position: page.Next}}, s.now()
	for _, it := range page.Items {
		p, err := decode(it)
		if err != nil {
			return ProfilePage{}, err
		}
		if !expired(p.ExpiresAt, now) {
			found.Profiles = append(found.Profiles, p)
		}
	}
	return found, nil
}

// setIndexKeys sets the keys of a stored profile in the indexes of its subject type, and
// removes the keys of indexes whose field it lacks. It does not touch an index that the
// type does not declare, because another program may use it.
func setIndexKeys(it item.Item, p *model.Profile, spec *catalog.Profile) {
	for _, x := range spec.Indexes {
		it.SetIndex(x.Index, indexKey(p, x))
	}
}

func indexKey(p *model.Profile, x catalog.ProfileIndex) keys.Key {
	v, ok := p.Attrs.Get(x.Field)
	if !ok || v.Kind != model.Text || v.Text == "" {
		return keys.Key{}
	}
	return tablekeys.FieldEntry(p.Subject, x.Field, v.Text, shardIndex(p.Subject.ID, x.Shards))
}

// shardIndex returns the shard of a subject in an index with n shards, 1 to n, by FNV-1a of its id; it returns 0
// if the index has no shards. Stored keys contain the shard, so this function must never change.
func shardIndex(id string, n int) int {
	if n < 2 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return int(h.Sum64()%uint64(n)) + 1
}
