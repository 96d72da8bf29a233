package verify

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// isSealed reports whether a row is no longer recomputed because children of it may
// have expired. A row that cannot be decoded has no known expiry of its children and
// counts as sealed.
func isSealed(row *rollup.Row, now model.Time) bool {
	return row.ChildrenExpireAt != rollup.NoExpiry && now.Add(tier.SealMargin).Seconds() >= row.ChildrenExpireAt
}

// mayHaveExpired reports whether the absent row of a bucket may have existed and
// expired. Two things must hold: the bucket ended longer ago than the tier's shortest
// retention ever, and its parent row is sealed, or is absent and may itself have
// expired. A parent that is not sealed proves that the row never existed; so does an
// absent parent of a tier that is kept forever. stored returns the row of a bucket, nil
// if there is none.
func mayHaveExpired(l tier.Policy, level int, start, now model.Time, stored func(level int, start model.Time) *rollup.Row) bool {
	for ; level < len(l.Tiers); level++ {
		t := l.Tiers[level]
		b, least := t.Unit.BucketOf(start), t.LeastRetention()
		if !keeps(t, b) {
			continue
		}
		if row := stored(level, b.Start); row != nil {
			return isSealed(row, now)
		}
		if least == tier.Forever || b.End.Add(least) > now.Add(tier.SealMargin) {
			return false
		}
	}
	return true
}
