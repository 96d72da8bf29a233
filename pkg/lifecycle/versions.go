package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// keep keeps p as a change leaves it, where versions are kept.
func (c *change) keep(p *model.Profile, what model.ProfileChange, spec *catalog.Profile) {
	if !spec.Versions.Keep {
		return
	}
	v := model.ProfileVersion{Profile: *p, Change: what}
	v.ExpiresAt = 0
	if spec.Versions.For > 0 {
		at := max(p.UpdatedAt, p.DeletedAt)
		v.ExpiresAt = at.Add(spec.Versions.For).Seconds()
	}
	c.addVersion(v)
}

// Versions reads one page of a subject's versions, newest first, those below before
// (0: from the newest on), at most limit. next is before of the next page, 0 after the
// last. Expired ones are left out.
func (s *Service) Versions(ctx context.Context, subject model.Subject, before int64, limit int) (page []model.ProfileVersion, next int64, err error) {
	l := Listing{Partition: keys.SubjectPartition(subject), Prefix: keys.VersionPrefix, Newest: true, Limit: limit}
	if before > 0 {
		l.After = Place{Key: keys.Version(subject, before)}
	}
	found, err := s.Store.List(ctx, l)
	if err != nil {
		return nil, 0, fmt.Errorf("read versions of %s: %w", subject, err)
	}
	now := s.Now()
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
	if found.Next == (Place{}) {
		next = 0
	}
	return page, next, nil
}

// Version reads one version; nil where there is none, or where it has expired.
func (s *Service) Version(ctx context.Context, subject model.Subject, n int64) (*model.ProfileVersion, error) {
	if n < 1 || n > keys.MaxVersion {
		return nil, nil
	}
	v, err := read(ctx, s.Store, keys.Version(subject, n), item.ProfileVersion)
	if err != nil {
		return nil, fmt.Errorf("read version %d of %s: %w", n, subject, err)
	}
	if v == nil || expired(v.ExpiresAt, s.Now()) {
		return nil, nil
	}
	return v, nil
}
