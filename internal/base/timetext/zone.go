package timetext

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// zoneNames are the offsets in hours of the names of RFC 5322, section 4.3.
var zoneNames = map[string]int{
	"Z": 0, "UT": 0, "UTC": 0, "GMT": 0,
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}

// numericZone is an offset in digits: +02, +0200, +02:00, UTC+2.
var numericZone = regexp.MustCompile(`^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?$`)

// mostOffset is beyond each offset of the database of time zones, so that a greater one is a mistake.
const mostOffset = 16 * time.Hour

// FixedZone returns the zone with an offset in digits, such as +02:00 or UTC+2; nil for another text.
func FixedZone(text string) *time.Location {
	m := numericZone.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	offset, isOffset := parseOffset(m)
	if !isOffset {
		return nil
	}
	zone := time.FixedZone("", int(offset.Seconds()))
	return time.FixedZone("UTC"+time.Time{}.In(zone).Format("-07:00"), int(offset.Seconds()))
}

// parseOffset returns the offset of a match of numericZone. It is none if its minutes or hours are too many.
func parseOffset(m []string) (offset time.Duration, ok bool) {
	hours, _ := strconv.Atoi(m[2])
	minutes, _ := strconv.Atoi("0" + m[3])
	offset = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	ok = offset < mostOffset && minutes < 60
	if m[1] == "-" {
		offset = -offset
	}
	return offset, ok
}

// zoned returns the time at which clocks of a zone show what wall shows in UTC. The zone is an offset or a
// name: of c.Zone, which says winter or summer of an hour that is there twice, or of RFC 5322.
func (c Clock) zoned(wall time.Time, zone string) (time.Time, error) {
	if m := numericZone.FindStringSubmatch(zone); m != nil {
		offset, ok := parseOffset(m)
		if !ok {
			return wall, ErrNoTime
		}
		return wall.Add(-offset), nil
	}
	if at, ok := inNamedZone(wall, zone, c.Zone); ok {
		return at, nil
	}
	hours, ok := zoneNames[zone]
	if !ok {
		return wall, ErrZoneName
	}
	return wall.Add(-time.Duration(hours) * time.Hour), nil
}

// inNamedZone is zoned for a name that a zone uses, such as CET of Europe/Berlin.
func inNamedZone(wall time.Time, name string, zone *time.Location) (at time.Time, ok bool) {
	if zone == nil || len(name) < 3 {
		return at, false
	}
	const layout = "2006-01-02T15:04:05.999999999"
	at, err := time.ParseInLocation(layout+" MST", wall.Format(layout)+" "+name, zone)
	return at, err == nil && at.Location() == zone && !strings.EqualFold(name, "UTC")
}
