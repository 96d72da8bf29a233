package timetext

import (
	"regexp"
	"strings"
)

var (
	// isoInterval is an interval of ISO 8601: 2026-01-01T00:00Z/PT15M.
	isoInterval = regexp.MustCompile(`^(\d{4}-\d\d-\d\d[T ][^/]+)/(.+)$`)
	// spacedInterval is an interval with a dash or a word between its times.
	spacedInterval = regexp.MustCompile(`^(.+?)\s+(?:[-\x{2013}\x{2014}]|to|bis)\s+(.+)$`)
	// clockOrDuration is the end of an interval without its date.
	clockOrDuration = regexp.MustCompile(`^(\d{1,2}:\d\d(:\d\d)?|P[0-9.,YMWDTHS]+)$`)
)

// Beginning returns the beginning of an interval, as energy markets write the time of a value: 01.01.2026
// 00:00 - 01.01.2026 00:15. ok is false if the text is no interval.
func (c Clock) Beginning(text string) (begin string, ok bool) {
	m := isoInterval.FindStringSubmatch(text)
	if m == nil {
		m = spacedInterval.FindStringSubmatch(text)
	}
	if m == nil || !strings.Contains(m[1], ":") || !c.isWall(m[1]) {
		return "", false
	}
	return m[1], c.isWall(m[2]) || clockOrDuration.MatchString(m[2])
}

func (c Clock) isWall(text string) bool {
	_, _, err := c.wall(text)
	return err == nil
}
