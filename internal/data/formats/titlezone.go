package formats

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

var (
	titleOfUTC = regexp.MustCompile(`^utc|(utc|gmt)$`)
	// titleOfOffset is a title with an offset from UTC: Date Time, GMT+01:00; time [UTC -5].
	titleOfOffset = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:utc|gmt) ?([+−-]) ?(\d{1,2}(?::?\d\d)?)(?:\D|$)`)
)

// titleZone returns the zone that a title says times are of: UTC, as in Date/time UTC and time (GMT), or an
// offset from it. It is nil if no title says so.
func titleZone(titles ...string) *time.Location {
	for _, text := range titles {
		if m := titleOfOffset.FindStringSubmatch(text); m != nil {
			return timetext.FixedZone(strings.Replace(m[1], "−", "-", 1) + m[2])
		}
		if titleOfUTC.MatchString(title(strings.NewReplacer("(", " ", "[", " ").Replace(text))) {
			return time.UTC
		}
	}
	return nil
}

// checkZone returns an error if a text without an offset, the time at, is read in another zone than its
// titles say.
func checkZone(clock timetext.Clock, text string, at time.Time, titles ...string) error {
	zone := titleZone(titles...)
	if zone == nil || sameAllYear(clock.Zone, zone, at) || !isLocal(clock, text) {
		return nil
	}
	return usererr.Errorf("%s says that times are of %s, and --zone %s: leave out --zone, or, if the "+
		"title is wrong, rename it", quoteAll(titles), zone, clock.Zone)
}

// isLocal reports whether a time is of no zone that its text names.
func isLocal(clock timetext.Clock, text string) bool {
	clock.Zone = nil
	_, _, err := clock.Read(text)
	return errors.Is(err, timetext.ErrNoZone)
}

// sameAllYear reports whether the clocks of two zones show the same at a time and half a year later.
func sameAllYear(a, b *time.Location, at time.Time) bool {
	for _, month := range []int{0, 6} {
		_, offset := at.AddDate(0, month, 0).In(a).Zone()
		if _, other := at.AddDate(0, month, 0).In(b).Zone(); offset != other {
			return false
		}
	}
	return true
}
