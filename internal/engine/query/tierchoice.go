package query

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrTooLong is the error of a chart whose range has too many points in every tier.
var ErrTooLong = errors.New(
	"the time range has more buckets than the requested number of points: request a shorter range, " +
		"or more points")

// Segment is a part of a time range that is read from one tier.
type Segment struct {
	Unit     tier.Unit
	From, To model.Time // [From, To), at boundaries of the unit's buckets
	// Err is, of a missing part, why a row that is stored there cannot be read: item.ErrDamaged or
	// item.ErrNewer.
	Err error
}

// plan is the tier of each part of a time range, and the reason for the choice.
type plan struct {
	segments     []Segment // oldest first
	reason       string    // one sentence without a full stop
	completeFrom model.Time
}

// tierChoice is the input of the choice of tiers.
type tierChoice struct {
	policy    tier.Policy
	from, to  model.Time // as requested
	now       model.Time
	maxPoints int
	stitched  bool
	requested bool // the request names the tier, the only one in policy
	// look returns the parts of a range of a unit that are not known, and whether old rows are stored: see
	// Service.look.
	look  func(unit tier.Unit, from, to model.Time) (lost []Segment, stored bool, err error)
	whole map[tier.Unit]model.Time // what wholeFrom found
	err   error                    // of the first look that failed
}

// choose returns the finest tier that still exists for the whole range and has few enough points. A stitched
// chart needs it only for the end of the range: coarser tiers cover the part before. If no tier reaches back
// to the start, the coarsest tier is chosen and the reason says what is missing.
func (c *tierChoice) choose() (plan, error) {
	why := ""
	c.whole = map[tier.Unit]model.Time{}
	for i, t := range c.policy.Tiers {
		segments := c.segments(c.policy.Tiers[i:])
		points, coarsest := c.count(segments), i == len(c.policy.Tiers)-1
		switch {
		case points > c.maxPoints && coarsest:
			return plan{}, fmt.Errorf("%w: %d %s points, at most %d", ErrTooLong, points, t.Unit.Adjective(),
				c.maxPoints)
		case points > c.maxPoints && len(segments) > 1:
			why = fmt.Sprintf("%d points, the newest of them %s, are more than %d", points, t.Unit.Adjective(),
				c.maxPoints)
		case points > c.maxPoints:
			why = fmt.Sprintf("the %s chart would have %d points; at most %d are shown", t.Unit.Adjective(), points,
				c.maxPoints)
		case !coarsest && !c.covers(t, segments):
			why = c.expired(t)
		default:
			return plan{
				segments: segments, reason: describe(segments) + ": " + c.reason(segments, why),
				completeFrom: c.completeFrom(segments[0]),
			}, c.err
		}
		if c.err != nil {
			return plan{}, c.err
		}
	}
	return plan{}, fmt.Errorf("%w: the kinds have none in common", ErrNoTier)
}

// covers reports whether t still exists for the whole range, or in a stitched chart for its end.
func (c *tierChoice) covers(t tier.Tier, segments []Segment) bool {
	if c.stitched {
		return segments[len(segments)-1].Unit == t.Unit
	}
	return segments[0].From >= c.completeFrom(segments[0])
}

// segments returns the part of the range that each tier covers, oldest first, widened to complete buckets.
// Without stitching, the first tier covers everything. A finer tier begins at a bucket boundary of the next
// coarser tier, so that each event is in exactly one segment.
func (c *tierChoice) segments(tiers []tier.Tier) (parts []Segment) {
	if !c.stitched {
		tiers = tiers[:1]
	}
	begins := model.MinTime
	for i := len(tiers) - 1; i >= 0; i-- {
		unit, ends := tiers[i].Unit, c.to
		if i > 0 {
			ends = tiers[i].Unit.FirstStart(c.wholeFrom(tiers[i-1]))
		}
		if begins < c.to && c.from < ends && begins < ends {
			first, last := unit.BucketAt(max(c.from, begins)), unit.BucketAt(min(c.to, ends)-1)
			parts = append(parts, Segment{Unit: unit, From: first.Start, To: last.End})
		}
		begins = max(begins, ends)
	}
	return parts
}

// count returns how many points the segments have at most. Buckets that have not begun have none.
func (c *tierChoice) count(segments []Segment) (points int) {
	for _, s := range segments {
		points += s.Unit.CountStarts(s.From, min(s.To, s.Unit.BucketAt(c.now).End))
	}
	return points
}

// reason explains where the segments meet, why no finer tier was chosen, and from when
// on even the coarsest tier is complete.
func (c *tierChoice) reason(segments []Segment, why string) string {
	reasons := lists.Map(segments[1:], func(s Segment) string { return c.expired(c.find(s.Unit)) })
	if why != "" {
		reasons = append(reasons, why)
	}
	if from := c.completeFrom(segments[0]); segments[0].From < from {
		reasons = append(reasons, "nothing before "+formatDay(from)+" is kept")
	}
	raw := eventsCompleteFrom(c.policy, c.now)
	switch {
	case len(reasons) > 0:
		return strings.Join(reasons, ", and ")
	case c.requested:
		return "as requested"
	case c.from < raw:
		return "raw events before " + formatDay(raw) + " have expired"
	}
	return "the finest tier"
}

func (c *tierChoice) expired(t tier.Tier) string {
	from := c.wholeFrom(t)
	if t.From != 0 && from == t.From {
		return t.Unit.Adjective() + " rollups are kept since " + formatDay(from)
	}
	return t.Unit.Adjective() + " rollups before " + formatDay(from) + " have expired"
}

func (c *tierChoice) completeFrom(s Segment) model.Time { return c.wholeFrom(c.find(s.Unit)) }

// wholeFrom returns the time from which on a tier is whole in the range: by what is stored, unless the part
// that its age does not tell has more buckets than the chart may have points.
func (c *tierChoice) wholeFrom(t tier.Tier) model.Time {
	if at, known := c.whole[t.Unit]; known {
		return at
	}
	byAge := t.CompleteFrom(c.now)
	first, old := t.Unit.BucketAt(c.from).Start, min(byAge, t.Unit.BucketAt(min(c.to-1, model.MaxTime)).End)
	c.whole[t.Unit] = byAge
	if first >= old || t.Unit.CountStarts(first, old) > c.maxPoints {
		return byAge
	}
	lost, stored, err := c.look(t.Unit, first, old)
	if err != nil || !stored {
		c.err = err
		return byAge
	}
	c.whole[t.Unit] = model.MinTime
	if n := len(lost); n > 0 {
		c.whole[t.Unit] = lost[n-1].To
	}
	return c.whole[t.Unit]
}

func (c *tierChoice) find(u tier.Unit) tier.Tier {
	t, _, _ := c.policy.Find(u)
	return t
}

// describe names the tiers of the segments: "hourly", or "daily to 22 Aug 2026 and then hourly".
func describe(segments []Segment) string {
	words := segments[0].Unit.Adjective()
	for i, s := range segments[1:] {
		words += " to " + formatDay(segments[i].To) + " and then " + s.Unit.Adjective()
	}
	return words
}

// formatDay formats a time for a sentence, without the time of day if that is midnight.
func formatDay(t model.Time) string {
	if tier.Day.BucketAt(t).Start == t {
		return t.Time().Format("2 Jan 2006")
	}
	return t.Time().Format("2 Jan 2006 15:04")
}
