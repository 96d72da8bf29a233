package lifecycle_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reader is a table as the invariants are read from it.
type reader interface {
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	Partition(ctx context.Context, pk string, after keys.Key) ([]item.Item, keys.Key, error)
}

// wantSound fails unless the table keeps every invariant of the subjects' profiles.
func wantSound(w *world, subjects ...model.Subject) {
	w.Helper()
	for _, wrong := range unsound(context.Background(), w.table, &w.spec, w.now(), subjects...) {
		w.Error(wrong)
	}
}

// unsound is what is wrong with the profiles of subjects: a life that stands twice, a
// unique value that is not held or is held by nobody, versions that do not add up, an
// index that shows what it should not.
func unsound(ctx context.Context, table reader, spec *catalog.Profile, now model.Time, subjects ...model.Subject) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, s := range subjects {
		standing, buried, versions := partsOf(ctx, table, s)
		if standing != nil && buried != nil {
			fail("%s stands and is deleted at once", s)
		}
		for _, p := range []*model.Profile{standing, buried} {
			if p == nil {
				continue
			}
			for _, partition := range p.Sentinels {
				it, err := table.GetItem(ctx, keys.UniqueIn(partition))
				if sentinel, decodeErr := item.Sentinel(it); err != nil || decodeErr != nil || sentinel.Owner != s || sentinel.Life != p.Life {
					fail("%s holds %s, and its sentinel says %+v", s, partition, sentinel)
				}
			}
			if p.ExpiresAt == 0 || p.ExpiresAt > now.Seconds() {
				wrong = append(wrong, wrongVersions(spec, s, p, versions)...)
			}
		}
		if standing != nil {
			if want := sentinelsOf(spec, s, standing.Attrs); !slices.Equal(standing.Sentinels, want) && standing.Version > 0 {
				fail("%s holds %q, its fields claim %q", s, standing.Sentinels, want)
			}
		}
		if standing == nil && buried == nil && len(versions) > 0 {
			fail("%s is gone, and %d versions of it are left", s, len(versions))
		}
	}
	return wrong
}

func partsOf(ctx context.Context, table reader, s model.Subject) (standing, buried *model.Profile, versions []model.ProfileVersion) {
	for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
		page, next, err := table.Partition(ctx, keys.SubjectPartition(s), after)
		if err != nil {
			panic(err)
		}
		for _, it := range page {
			if p, err := item.Profile(it); err == nil {
				standing = &p
			}
			if p, err := item.Tombstone(it); err == nil {
				buried = &p
			}
			if v, err := item.ProfileVersion(it); err == nil {
				versions = append(versions, v)
			}
		}
		after = next
	}
	return standing, buried, versions
}

// wrongVersions holds the versions against the profile they are of.
func wrongVersions(spec *catalog.Profile, s model.Subject, p *model.Profile, versions []model.ProfileVersion) (wrong []string) {
	if !spec.Versions.Keep {
		return nil
	}
	if len(versions) == 0 || versions[len(versions)-1].Version != p.Version {
		if p.Version > 0 {
			return []string{fmt.Sprintf("%s is at version %d, and %d are kept", s, p.Version, len(versions))}
		}
		return nil
	}
	for i, v := range versions {
		if v.Life != p.Life {
			wrong = append(wrong, fmt.Sprintf("%s has a version %d of another life", s, v.Version))
		}
		if i > 0 && v.Version != versions[i-1].Version+1 {
			wrong = append(wrong, fmt.Sprintf("%s has no version %d", s, v.Version-1))
		}
	}
	if diff := cmp.Diff(p.Attrs, versions[len(versions)-1].Attrs, sameDecimal); diff != "" {
		wrong = append(wrong, fmt.Sprintf("%s and its last version differ (-profile +version):\n%s", s, diff))
	}
	return wrong
}

// sentinelsOf are the partitions that fields claim, by the constraints' own words.
func sentinelsOf(spec *catalog.Profile, s model.Subject, attrs model.Attrs) (all []string) {
	text := func(name string) string {
		v, _ := attrs.Get(name)
		return v.Text
	}
	if v := text("email"); v != "" {
		all = append(all, keys.Unique(s.Type, "email", "t"+lower(v)).PK)
	}
	if a, b := text("first"), text("last"); a != "" && b != "" {
		all = append(all, keys.Unique(s.Type, "name", "t"+a, "t"+b).PK)
	}
	return all
}

func lower(s string) string {
	out := []byte(s)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}
