package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// compareShares compares the shares of each bucket whose row was found to equal the events.
func (r *recount) compareShares(ctx context.Context, rows []Finding) (all []Finding, err error) {
	if r.shares == nil || len(r.shares.buckets) == 0 {
		return nil, nil
	}
	status := map[rollup.Key]Status{}
	for _, f := range rows {
		status[f.Key] = f.Status
	}
	judged := map[tier.Bucket]map[string]*rollup.Fold{}
	var unread []rollup.Key // of groups that the row does not name
	for interval, b := range r.shares.buckets {
		if found, ok := status[r.key(b.level, interval.Start)]; ok && found != Equal {
			continue
		}
		expected := b.expected()
		judged[interval] = expected
		for name := range expected {
			if _, read := b.stored[name]; !read {
				unread = append(unread, r.shareKeys(b, []string{name})...)
			}
		}
	}
	if err := r.readStored(ctx, unread); err != nil {
		return nil, err
	}
	for _, interval := range slices.SortedFunc(maps.Keys(judged), compareBuckets) {
		all = append(all, r.compareBucket(r.shares.buckets[interval], judged[interval])...)
	}
	return all, nil
}

// compareBucket compares the shares of a bucket with what its events add up to.
func (r *recount) compareBucket(b *sharedBucket, expected map[string]*rollup.Fold) (all []Finding) {
	row := r.stored[b.level][b.interval.Start]
	names := slices.AppendSeq(slices.Collect(maps.Keys(expected)), maps.Keys(b.stored))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		want, share := expected[name], b.stored[name]
		if want == nil && share == nil {
			continue
		}
		for _, key := range r.shareKeys(b, []string{name}) {
			at := slices.IndexFunc(b.kinds, func(g *catalog.Kind) bool { return g.Name == key.Series.Kind })
			if want != nil {
				want.Exact = want.Exact && row != nil && row.Exact
			}
			f := Finding{Key: key, Exact: share != nil && share.Exact}
			f.Status, f.Detail = r.compareShare(b.kinds[at], b.interval, want, share)
			if f.Status == Equal {
				r.buckets.note(key.Series, b.interval)
			}
			if !f.Status.OK() {
				f.Detail = fmt.Sprintf("the share of %s: %s", r.series.Subject, f.Detail)
			}
			all = append(all, f)
		}
	}
	return all
}

// compareShare compares a share with the fold of the events that count in its group. One of both is not nil.
func (r *recount) compareShare(
	kind *catalog.Kind, b tier.Bucket, want *rollup.Fold, share *rollup.Row,
) (Status, string) {
	switch {
	case share == nil && r.shareExpired(kind, b):
		return Expired, ""
	case share == nil:
		return Missing, fmt.Sprintf("there is none for its %d events", want.Summary.Events())
	case share.Summary == nil:
		return Differs, "it cannot be decoded"
	case isSealed(share, r.now):
		return Sealed, ""
	case want == nil:
		return Extra, fmt.Sprintf("it counts %d events, but none are in this group", share.Summary.Events())
	}
	row := &rollup.Row{Key: share.Key, Fold: *want, WrittenAt: r.now, ExpiresAt: share.ExpiresAt}
	aggregate.Fit(row, kind.Spec())
	if equal(row, share) {
		return Equal, ""
	}
	return Differs, cmp.Or(differingMeasure(row.Summary, share.Summary), differingRest(row, share))
}

// shareExpired reports whether a share of a bucket may have expired.
func (r *recount) shareExpired(kind *catalog.Kind, b tier.Bucket) bool {
	kept := kind.Retention.Raw
	return kept != tier.Forever && r.now.Add(tier.SealMargin) >= b.End.Add(kept)
}

func compareBuckets(a, b tier.Bucket) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}
