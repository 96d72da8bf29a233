package lifecycle_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reader is the part of a table from which the invariants are checked.
type reader interface {
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	Partition(ctx context.Context, pk string, after keys.Key) ([]item.Item, keys.Key, error)
}

// wantInvariants fails the test unless the profiles of the subjects keep all invariants.
func wantInvariants(w *fixture, subjects ...model.Subject) {
	w.Helper()
	for _, wrong := range brokenInvariants(context.Background(), w.table, &w.spec, w.now(), subjects...) {
		w.Error(wrong)
	}
}

// brokenInvariants describes what is wrong with the profiles of subjects: a profile and
// a tombstone, a unique value without its sentinel, versions that do not fit the profile, or an entry of the
// list that is not there or has another name.
func brokenInvariants(ctx context.Context, table reader, spec *catalog.Profile, now model.Time,
	subjects ...model.Subject) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, s := range subjects {
		profile, tombstone, versions := readParts(ctx, table, s)
		if profile != nil && tombstone != nil {
			fail("%s has a profile and a tombstone", s)
		}
		for _, p := range []*model.Profile{profile, tombstone} {
			if p == nil {
				continue
			}
			for _, partition := range p.Sentinels {
				it, err := table.GetItem(ctx, tablekeys.UniqueIn(partition))
				if sentinel, decodeErr := item.Sentinel(it); err != nil || decodeErr != nil || sentinel.Owner != s ||
					sentinel.Generation != p.Generation {
					fail("%s lists %s, but the sentinel is %+v", s, partition, sentinel)
				}
			}
			if p.ExpiresAt == 0 || p.ExpiresAt > now.Seconds() {
				wrong = append(wrong, wrongVersions(spec, s, p, versions)...)
			}
		}
		if profile != nil {
			if want := listSentinels(spec, s, profile.Attrs); !slices.Equal(profile.Sentinels, want) &&
				profile.Version > 0 {
				fail("%s lists the sentinels %q, want %q for its fields", s, profile.Sentinels, want)
			}
		}
		foreign := profile != nil && profile.Version == 0 // another program wrote it
		if found, want := listedAs(ctx, table, s), nameIn(profile); found != want && !foreign {
			fail("%s is listed as %q, want %q", s, found, want)
		}
		if profile == nil && tombstone == nil && len(versions) > 0 {
			fail("%s has no profile, but %d versions", s, len(versions))
		}
	}
	return wrong
}

// listedAs returns how the list of series names a subject with a profile.
func listedAs(ctx context.Context, table reader, s model.Subject) string {
	it, err := table.GetItem(ctx, tablekeys.SeriesEntry(model.Series{Subject: s}))
	if err != nil {
		return err.Error()
	}
	if it == nil {
		return "not listed"
	}
	entry, err := item.ListedSeries(it)
	if err != nil {
		return err.Error()
	}
	return "listed " + entry.Name
}

// nameIn returns what listedAs returns for a profile.
func nameIn(p *model.Profile) string {
	if p == nil {
		return "not listed"
	}
	name, _ := p.Attrs.Get("name")
	runes := []rune(name.Text)
	return "listed " + string(runes[:min(100, len(runes))])
}

func readParts(ctx context.Context, table reader,
	s model.Subject) (profile, tombstone *model.Profile, versions []model.ProfileVersion) {
	for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
		page, next, err := table.Partition(ctx, keys.SubjectPartition(s), after)
		if err != nil {
			panic(err)
		}
		for _, it := range page {
			if p, err := item.Profile(it); err == nil {
				profile = &p
			}
			if p, err := item.Tombstone(it); err == nil {
				tombstone = &p
			}
			if v, err := item.ProfileVersion(it); err == nil {
				versions = append(versions, v)
			}
		}
		after = next
	}
	return profile, tombstone, versions
}

// wrongVersions describes the differences between a profile and its versions.
func wrongVersions(spec *catalog.Profile, s model.Subject, p *model.Profile,
	versions []model.ProfileVersion) (wrong []string) {
	if !spec.Versions.Keep {
		return nil
	}
	if len(versions) == 0 || versions[len(versions)-1].Version != p.Version {
		if p.Version > 0 {
			return []string{fmt.Sprintf("%s has version %d, but %d versions are kept", s, p.Version, len(versions))}
		}
		return nil
	}
	for i, v := range versions {
		if v.Generation != p.Generation {
			wrong = append(wrong, fmt.Sprintf("%s has a version %d of another generation", s, v.Version))
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

// listSentinels returns the partitions of the sentinels that fields require, computed
// without the code under test.
func listSentinels(spec *catalog.Profile, s model.Subject, attrs model.Attrs) (all []string) {
	text := func(name string) string {
		v, _ := attrs.Get(name)
		return v.Text
	}
	if v := text("email"); v != "" {
		all = append(all, tablekeys.Unique(s.Type, "email", "t"+lower(v)).PK)
	}
	if a, b := text("first"), text("last"); a != "" && b != "" {
		all = append(all, tablekeys.Unique(s.Type, "name", "t"+a, "t"+b).PK)
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
