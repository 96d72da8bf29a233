package verify

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// counter recounts spans of series.
type counter struct {
	store SeriesReader
	now   func() model.Time
	most  int  // events of a span; 0: any number
	keep  bool // the events of a span
	// items and kinds are for shares, which are not compared without them.
	items      ItemReader
	kinds      *catalog.Catalog
	consistent bool       // how shares are read
	left       rollup.Key // of memberShares
	buckets    *groupBuckets
}

func (v *Verifier) counter() counter {
	return counter{store: v.Store, now: v.Now, items: v.Store, kinds: v.Catalog,
		buckets: v.buckets}
}

// recount recounts a span of a series, of whole buckets.
func (c counter) recount(
	ctx context.Context, kind *catalog.Kind, s model.Series, span Span,
) (*recount, []found, error) {
	swept, err := lowWatermarks(ctx, c.store, *kind)
	if err != nil {
		return nil, nil, err
	}
	one := &recount{store: c.store, kind: kind, series: s, now: c.now(), span: span, most: c.most,
		keep: c.keep, through: swept.For(s), behind: map[rollup.Key]bool{}, buckets: c.buckets}
	c.withShares(one)
	findings, err := one.run(ctx)
	all := lists.Map(findings, func(f Finding) found { return found{f, one} })
	if err == nil {
		var left []found
		left, err = c.findLeft(ctx, one)
		all = append(all, left...)
	}
	return one, all, err
}

// withShares lets a recount compare the shares of a member, or find shares of a group that are left.
func (c counter) withShares(one *recount) {
	if c.items == nil {
		return
	}
	if of, found := c.kinds.Kind(one.kind.GroupsOf); found {
		one.members = &leftShares{items: c.items, of: of}
	} else {
		one.shares = &memberShares{items: c.items, consistent: c.consistent, left: c.left}
	}
}

// confirmations is how often a bucket that differs is read again while it changes.
const confirmations = 5

// confirm reads again what differs, because an event may have been stored between the reading of a row and of
// its events. A finding is confirmed if no row of its coarsest bucket changed while they were read: each has
// one revision before and after. One that changes each time is Busy.
func (c counter) confirm(ctx context.Context, first *recount, findings []found) ([]found, error) {
	tiers := first.kind.Retention.Tiers
	coarsest := func(f found) tier.Bucket { return tiers[len(tiers)-1].Unit.BucketAt(f.Key.Start) }
	again := map[model.Time][]found{} // by the start of the coarsest bucket
	for _, f := range findings {
		b := coarsest(f)
		if _, done := again[b.Start]; done || f.Status.OK() {
			continue
		}
		confirmed, err := c.confirmSpan(ctx, first, Span{b.Start, b.End})
		if err != nil {
			return nil, err
		}
		again[b.Start] = confirmed
	}
	if len(again) == 0 {
		return findings, nil
	}
	kept := lists.Filter(findings, func(f found) bool { _, read := again[coarsest(f).Start]; return !read })
	kept = append(kept, slices.Concat(slices.Collect(maps.Values(again))...)...)
	level := func(f found) int {
		return slices.IndexFunc(tiers, func(t tier.Tier) bool { return t.Unit.String() == f.Key.Tier })
	}
	slices.SortFunc(kept, func(a, b found) int {
		return cmp.Or(cmp.Compare(level(a), level(b)), cmp.Compare(a.Key.Start, b.Key.Start))
	})
	return kept, nil
}

// confirmSpan recounts a span until no row of it changes meanwhile.
func (c counter) confirmSpan(ctx context.Context, first *recount, span Span) (findings []found, err error) {
	c.consistent = true
	for range confirmations {
		var one *recount
		if one, findings, err = c.recount(ctx, first.kind, first.series, span); err != nil {
			return nil, err
		}
		if err = c.findUnsettled(ctx, one, findings); err != nil {
			return nil, err
		}
		changed, err := one.changed(ctx)
		if err == nil && !changed && one.kind.GroupsOf == "" {
			err = errors.Join(c.findPending(ctx, findings), c.excuseShares(ctx, one, findings))
		}
		if err != nil || !changed {
			return findings, err
		}
	}
	for i := range findings {
		if !findings[i].Status.OK() {
			findings[i].Status = Busy
		}
	}
	return findings, nil
}
