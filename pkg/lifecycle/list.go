package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNoIndex is returned for fields that no index of the subject type has as its fields. The error says which
// indexes there are.
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

// ProfileQuery selects profiles of a subject type by an index, in the order of its sort fields and then
// of the subjects' ids.
type ProfileQuery struct {
	SubjectType string
	By          map[string]string // the text of each field of the index, Field and And
	// From and To are bounds of the first sort field: From is included, To is not, and null is no bound. Each
	// has the type of the field, or is its text: a number in digits; a time in RFC 3339, or a date.
	From, To   model.Value
	Descending bool   // the last profile first; not in an index with shards, which has no order
	Limit      int    // profiles; 0 means as many as one request returns (1 MB)
	After      Cursor // Next of the previous page of the same query; the zero Cursor is the start
}

// List reads one page of the profiles that a query selects. It reads the shards of an index one after the
// other, with one request each, until the page is full. The error wraps ErrNoIndex if no index has the fields
// of the query, and model.ErrCondition if the index cannot have its texts, bounds or direction.
func (s *Service) List(ctx context.Context, q ProfileQuery) (ProfilePage, error) {
	found, err := s.list(ctx, q)
	if err != nil {
		err = fmt.Errorf("list %s by %s: %w", q.SubjectType, strings.Join(slices.Sorted(maps.Keys(q.By)), ", "),
			err)
	}
	return found, err
}

func (s *Service) list(ctx context.Context, q ProfileQuery) (ProfilePage, error) {
	x, err := findIndex(s.profile(q.SubjectType).Indexes, q.By)
	if err != nil {
		return ProfilePage{}, err
	}
	l, err := q.request(x)
	if err != nil {
		return ProfilePage{}, err
	}
	return s.listShards(ctx, q, x, l)
}

// ListByField is List of the profiles that have a text in a field, for an index of this field alone.
func (s *Service) ListByField(ctx context.Context, subjectType, field, value string, after Cursor,
	limit int) (ProfilePage, error) {
	return s.List(ctx, ProfileQuery{SubjectType: subjectType, By: map[string]string{field: value}, After: after,
		Limit: limit})
}

// listShards reads shard after shard, as l says, until a page of q is full.
func (s *Service) listShards(ctx context.Context, q ProfileQuery, x catalog.ProfileIndex,
	l itemop.ListRequest) (all ProfilePage, _ error) {
	shard := q.After.Shard
	if shard == 0 && x.Shards > 1 {
		shard = 1
	}
	for l.After = q.After.Position; ; l.After = (itemop.Position{}) {
		l.Partition = partition(q.SubjectType, x, func(field string) string { return q.By[field] }, shard).Key()
		l.Limit = max(0, q.Limit-len(all.Profiles))
		found, err := s.listProfiles(ctx, l, item.Profile)
		if err != nil {
			return ProfilePage{}, err
		}
		all.Profiles = append(all.Profiles, found.Profiles...)
		switch full := q.Limit > 0 && len(all.Profiles) >= q.Limit; {
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
