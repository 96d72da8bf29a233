package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// addVersion writes p, as the change leaves it, as a version, if the subject type keeps versions.
func (c *change) addVersion(p *model.Profile, what model.ProfileChange, spec *catalog.Profile) {
	if !spec.Versions.Keep {
		return
	}
	v := model.ProfileVersion{Profile: *p, Change: what}
	v.ExpiresAt = 0
	if spec.Versions.For > 0 {
		at := max(p.UpdatedAt, p.DeletedAt)
		v.ExpiresAt = at.Add(spec.Versions.For).Seconds()
	}
	it := item.FromProfileVersion(&v)
	c.add(roleVersion, itemop.Action{Key: it.Key(), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}},
		Put: it})
}

// Versions reads one page of a subject's versions, newest first, at most limit. It starts
// below before, or at the newest version if before is 0. Pass next as before for the next
// page; it is 0 after the last. Expired versions are left out.
func (s *Service) Versions(ctx context.Context, subject model.Subject, before int64,
	limit int) (page []model.ProfileVersion, next int64, err error) {
	l := itemop.ListRequest{Partition: keys.SubjectPartition(subject), Prefix: tablekeys.VersionPrefix,
		Newest: true, Limit: limit}
	if before > 0 {
		l.After = itemop.Position{Key: tablekeys.Version(subject, before)}
	}
	found, err := s.Store.List(ctx, l)
	if err != nil {
		return nil, 0, fmt.Errorf("read versions of %s: %w", subject, err)
	}
	now := s.now()
	for _, it := range found.Items {
		v, err := item.ProfileVersion(it)
		if err != nil {
			return nil, 0, fmt.Errorf("read versions of %s: %w", subject, err)
		}
		next = v.Version
		if !expired(v.ExpiresAt, now) {
			page = append(page, v)
		}
	}
	if found.Next == (itemop.Position{}) {
		next = 0
	}
	return page, next, nil
}

// Version returns one version, or nil if it does not exist or has expired.
func (s *Service) Version(ctx context.Context, subject model.Subject,
	n int64) (*model.ProfileVersion, error) {
	if n < 1 || n > tablekeys.MaxVersion {
		return nil, nil
	}
	v, err := read(ctx, s.Store, tablekeys.Version(subject, n), item.ProfileVersion)
	if err != nil {
		return nil, fmt.Errorf("read version %d of %s: %w", n, subject, err)
	}
	if v == nil || expired(v.ExpiresAt, s.now()) {
		return nil, nil
	}
	return v, nil
}
