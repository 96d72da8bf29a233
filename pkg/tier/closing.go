package tier

import (
	"fmt"
	"hash/fnv"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClosesAt returns the closing time of a bucket of the tier at a level: its end, plus the tier's grace, plus
// the series' share of the jitter. Until then the bucket is open: its row is not written, and readers fold
// it. A bucket of an immediate tier is never open: its closing time is MinTime. A bucket closes before the
// coarser one around it, or at the same time.
func (p Policy) ClosesAt(level int, b Bucket, s model.Series) model.Time {
	t := p.Tiers[level]
	if !t.Deferred {
		return model.MinTime
	}
	return min(b.End.Add(t.Grace+p.jitterFor(s)), model.MaxTime)
}

// HasDeferred reports whether any tier is deferred.
func (p Policy) HasDeferred() bool { return len(p.Tiers) > 0 && p.Tiers[len(p.Tiers)-1].Deferred }

// jitterFor returns a part of the jitter that depends on the series alone, in whole
// milliseconds. All shards of a spread series have the same.
func (p Policy) jitterFor(s model.Series) time.Duration {
	if p.Jitter <= 0 {
		return 0
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %q %q", s.Subject.Type, s.Subject.ID, s.Kind, s.Stream)
	return time.Duration(h.Sum64()%uint64(p.Jitter.Milliseconds())) * time.Millisecond
}

// validateClosing returns an error where a coarser bucket could close before a finer one,
// or where events of a bucket could expire before it closes.
func (p Policy) validateClosing() error {
	if p.Jitter < 0 || p.Jitter%time.Millisecond != 0 {
		return fmt.Errorf("jitter %s must be whole milliseconds and not negative", p.Jitter)
	}
	if p.LateEvery != 0 &&
		(!p.HasDeferred() || p.LateEvery < time.Minute || p.LateEvery > time.Hour || p.LateEvery%time.Second != 0) {
		return fmt.Errorf("lateEvery %s must be whole seconds, from 1m to 1h, and needs deferred tiers",
			p.LateEvery)
	}
	for level, t := range p.Tiers {
		switch {
		case t.Grace < 0:
			return fmt.Errorf("%s: grace %s must not be negative", t.Unit, t.Grace)
		case level > 0 && p.Tiers[level-1].Deferred && !t.Deferred:
			return fmt.Errorf("%s: immediate above deferred %ss: only the finest tiers can be immediate", t.Unit,
				p.Tiers[level-1].Unit)
		case level > 0 && t.Deferred && p.Tiers[level-1].Deferred && t.Grace < p.Tiers[level-1].Grace:
			return fmt.Errorf("%s: grace %s is shorter than %s of the %ss: a %s could close before its %ss",
				t.Unit, t.Grace, p.Tiers[level-1].Grace, p.Tiers[level-1].Unit, t.Unit, p.Tiers[level-1].Unit)
		}
	}
	return p.validateOpenEvents()
}

// validateOpenEvents returns an error where a sweep that is late by three days could find
// events of an open bucket expired.
func (p Policy) validateOpenEvents() error {
	finest := p.Finest()
	raw := p.LeastRawRetention()
	if !finest.Deferred || raw == Forever {
		return nil
	}
	if need := finest.Unit.Longest() + finest.Grace + p.Jitter + SlackAfterBucket; raw < need {
		return fmt.Errorf("raw %s is too short for deferred %ss: want at least one %s + grace + jitter + "+
			"3 d = %s, or immediate tiers",
			days(raw), finest.Unit, finest.Unit, days(need))
	}
	return nil
}
