package sessions

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// slack returns how long after an event its invalidation is due at the latest: what the
// closing time of a bucket is later than its end, less the gap.
func slack(kind *catalog.Kind, level int, b tier.Bucket, s model.Series) time.Duration {
	return kind.Retention.ClosesAt(level, b, s).Sub(b.End) - kind.Sessions.Gap
}

// SettlesAt returns when the sessions that began in a bucket and may go on until reach have
// all ended: the closing time, or after it one of few times, so that an endless session makes
// its bucket be folded a few times only.
func SettlesAt(kind *catalog.Kind, level int, b tier.Bucket, s model.Series, reach model.Time) model.Time {
	closes, slack := kind.Retention.ClosesAt(level, b, s), slack(kind, level, b, s)
	if reach.Add(slack) <= closes {
		return closes
	}
	for after := time.Hour; ; after *= 2 {
		if after = min(after, kind.Sessions.Follow); b.End.Add(after) >= reach || after == kind.Sessions.Follow {
			return max(b.End.Add(after), reach).Add(slack)
		}
	}
}

// OnTime reports whether a change of a source event at a time is on time by a clock: every
// earlier bucket that it may touch has an invalidation that will be worked off. margin is how
// long after its due time that begins.
func OnTime(kind *catalog.Kind, at, now model.Time, margin time.Duration) bool {
	grace := kind.Retention.Finest().Grace - kind.Sessions.Gap
	return now < at.Add(grace-margin)
}
