package query

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrTooLong says that no tier gives few enough points over the range.
var ErrTooLong = errors.New("the range holds more buckets than the points asked for: ask a shorter range, or more points")

// Segment is a part of a range that is answered by one tier.
type Segment struct {
	Unit     tier.Unit
	From, To model.Time // half-open, on edges of the unit's buckets
}

// plan is which tier answers which part of a range, and why.
type plan struct {
	segments  []Segment // oldest first
	reason    string    // one sentence without its full stop
	wholeFrom model.Time
}

// choice is what a tier is chosen by.
type choice struct {
	ladder   tier.Ladder
	from, to model.Time // as asked for
	now      model.Time
	points   int // most
	stitched bool
	asked    bool // the ladder's one tier was asked for by name
}

// choose finds the finest tier that still exists for the whole range and gives few
// enough points. Stitched, it is the finest that exists for the end of the range, and
// coarser ones stand before it. Where nothing reaches back to the start, the coarsest
// tier answers what there is, and the reason says so.
func (c choice) choose() (plan, error) {
	why := ""
	for i, t := range c.ladder.Tiers {
		segments := c.segments(c.ladder.Tiers[i:])
		points, coarsest := c.count(segments), i == len(c.ladder.Tiers)-1
		switch {
		case points > c.points && coarsest:
			return plan{}, fmt.Errorf("%w: %d %s points, at most %d", ErrTooLong, points, adjectives[t.Unit], c.points)
		case points > c.points && len(segments) > 1:
			why = fmt.Sprintf("%d points, the newest of them %s, are more than %d", points, adjectives[t.Unit], c.points)
		case points > c.points:
			why = fmt.Sprintf("%d %s points are more than %d", points, adjectives[t.Unit], c.points)
		case !coarsest && !c.serves(t, segments):
			why = c.expired(t)
		default:
			return plan{segments, told(segments) + ": " + c.reason(segments, why), c.wholeFrom(segments[0])}, nil
		}
	}
	return plan{}, fmt.Errorf("%w: the kinds have none in common", ErrNoTier)
}

// serves reports whether t still exists for what it is to answer: the whole range, or
// its end where coarser tiers stand before it.
func (c choice) serves(t tier.Tier, segments []Segment) bool {
	if c.stitched {
		return segments[len(segments)-1].Unit == t.Unit
	}
	return segments[0].From >= c.wholeFrom(segments[0])
}

// segments are the parts of the range that each tier answers, oldest first, widened to
// whole buckets: all of it the first tier where nothing is stitched. A finer tier
// begins at the edge of a bucket of the coarser one, so that no event is in both and
// none in neither.
func (c choice) segments(tiers []tier.Tier) (parts []Segment) {
	if !c.stitched {
		tiers = tiers[:1]
	}
	begins := model.MinTime
	for i := len(tiers) - 1; i >= 0; i-- {
		unit, ends := tiers[i].Unit, c.to
		if i > 0 {
			ends = tiers[i].Unit.EdgeFrom(tiers[i-1].WholeFrom(c.now))
		}
		if begins < c.to && c.from < ends && begins < ends {
			first, last := unit.BucketOf(max(c.from, begins)), unit.BucketOf(min(c.to, ends)-1)
			parts = append(parts, Segment{unit, first.Start, last.End})
		}
		begins = max(begins, ends)
	}
	return parts
}

// count is how many points the segments give at most: buckets that have not begun have
// none.
func (c choice) count(segments []Segment) (points int) {
	for _, s := range segments {
		points += s.Unit.Buckets(s.From, min(s.To, s.Unit.BucketOf(c.now).End))
	}
	return points
}

// reason says why the segments meet where they do, why nothing finer is shown, and
// where even the coarsest has expired.
func (c choice) reason(segments []Segment, why string) string {
	var all []string
	for _, s := range segments[1:] {
		all = append(all, c.expired(c.find(s.Unit)))
	}
	if why != "" {
		all = append(all, why)
	}
	if from := c.wholeFrom(segments[0]); segments[0].From < from {
		all = append(all, "nothing before "+day(from)+" is kept")
	}
	raw := eventsWholeFrom(c.ladder, c.now)
	switch {
	case len(all) > 0:
		return strings.Join(all, ", and ")
	case c.asked:
		return "as asked"
	case c.from < raw:
		return "raw events before " + day(raw) + " have expired"
	}
	return "the finest tier there is"
}

func (c choice) expired(t tier.Tier) string {
	from := t.WholeFrom(c.now)
	if t.From != 0 && from == t.From {
		return adjectives[t.Unit] + " rollups are kept since " + day(from)
	}
	return adjectives[t.Unit] + " rollups before " + day(from) + " have expired"
}

func (c choice) wholeFrom(s Segment) model.Time { return c.find(s.Unit).WholeFrom(c.now) }

func (c choice) find(u tier.Unit) tier.Tier {
	t, _, _ := c.ladder.Find(u)
	return t
}

var adjectives = map[tier.Unit]string{tier.Minute: "minutely", tier.Hour: "hourly", tier.Day: "daily", tier.Month: "monthly"}

// told names the tiers of the segments: hourly, or daily to 22 Aug 2026 and then hourly.
func told(segments []Segment) string {
	words := adjectives[segments[0].Unit]
	for i, s := range segments[1:] {
		words += " to " + day(segments[i].To) + " and then " + adjectives[s.Unit]
	}
	return words
}

// day is a time as a sentence says it, to the day where that is all there is to it.
func day(t model.Time) string {
	if tier.Day.BucketOf(t).Start == t {
		return t.Time().Format("2 Jan 2006")
	}
	return t.Time().Format("2 Jan 2006 15:04")
}
