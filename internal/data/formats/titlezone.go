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

// timeTitle is the title of times: of a column, of the columns that are joined, or of a member.
type timeTitle struct {
	names []string
	zone  *time.Location // that they say times are of; nil if they do not say it
}

// newTimeTitle returns the title of some names. They say that times are of UTC, as Date/time UTC and time
// (GMT) do, or of an offset from it.
func newTimeTitle(names []string) timeTitle {
	t := timeTitle{names: names}
	for _, name := range names {
		if m := titleOfOffset.FindStringSubmatch(name); m != nil {
			t.zone = timetext.FixedZone(strings.Replace(m[1], "−", "-", 1) + m[2])
			break
		}
		if titleOfUTC.MatchString(title(strings.NewReplacer("(", " ", "[", " ").Replace(name))) {
			t.zone = time.UTC
			break
		}
	}
	return t
}

// check returns an error if a text without an offset, the time at, is read in another zone than the title
// says.
func (t timeTitle) check(clock timetext.Clock, text string, at time.Time) error {
	if t.zone == nil || sameAllYear(clock.Zone, t.zone, at) || !isLocal(clock, text) {
		return nil
	}
	return usererr.Errorf("%s says that times are of %s, and --zone %s: leave out --zone, or, if the "+
		"title is wrong, rename it", quoteAll(t.names), t.zone, clock.Zone)
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
