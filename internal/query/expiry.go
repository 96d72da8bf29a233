package query

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// expired reports whether an item with this TTL attribute is gone for readers,
// swept or not.
func expired(expiresAt int64, now model.Time) bool {
	return expiresAt != 0 && expiresAt <= now.Seconds()
}

// sooner is the shorter of two retentions.
func sooner(a, b time.Duration) time.Duration {
	switch {
	case a == tier.Forever:
		return b
	case b == tier.Forever:
		return a
	}
	return min(a, b)
}

// eventsWholeFrom is the time from which on no event can have expired. An event lives
// from when it was written, which may be before its own time by as much as a clock is
// allowed to run ahead.
func eventsWholeFrom(l tier.Ladder, now model.Time) model.Time {
	if l.Raw == tier.Forever {
		return model.MinTime
	}
	return max(now.Add(-l.Raw).Add(tier.ExpiryMargin), model.MinTime)
}

// Shows reports whether readers see a row: it is neither empty nor expired. The rows
// of one bucket of a spread series expire one by one; the bucket is hidden from when
// the first of them may, since what is left would not be the whole. ladder is the
// kind's.
func Shows(ladder tier.Ladder, r *rollup.Row, now model.Time) bool {
	unit, err := tier.ParseUnit(r.Key.Tier)
	t, _, known := ladder.Find(unit)
	return shows(r, t, r.Key.Series.Shard > 0 && known && err == nil, now)
}

// shows is Shows of a row that is, or is not, one of several in its bucket, the first
// of which to expire are t's.
func shows(r *rollup.Row, t tier.Tier, oneOfSeveral bool, now model.Time) bool {
	if r.Empty || expired(r.ExpiresAt, now) {
		return false
	}
	if !oneOfSeveral || t.LeastRetention() == tier.Forever {
		return true
	}
	first := t.Unit.BucketOf(r.Key.Start).End.Add(t.LeastRetention()).Seconds()
	return !expired(first, now)
}
