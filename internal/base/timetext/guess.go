package timetext

import (
	"regexp"
	"strings"
	"time"
)

// rewrites bring the forms of programs into one: each pattern, and what replaces it.
var rewrites = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`[ \t]+`), " "},
	// Java writes the name of the zone behind its offset: +01:00[Europe/Berlin]. JavaScript writes (CET).
	{regexp.MustCompile(`([+-]\d\d:?\d\d|Z) ?(?:\[[^\]]*\]|\([^)]*\))$`), "$1"},
	// The hour alone: 2026-11-01T10Z.
	{regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d)(Z|[+-]\d\d(?::?\d\d)?)?$`), "$1:00$2"},
	// EXIF: 2026:11:01 10:00:00.
	{regexp.MustCompile(`^(\d{4}):(\d\d):(\d\d) `), "$1-$2-$3 "},
	{regexp.MustCompile(`^(\d{8}|\d{4}[-/]\d\d?[-/]\d\d?|\d{4}-\d{3})[Tt](\d)`), "$1 $2"},
	{regexp.MustCompile(`^(\d{4}[-/]\d\d?[-/]\d\d?)[-_](\d\d?:)`), "$1 $2"},
	// DB2, and names of files: 2026-11-01-10.00.00.123456, 2026-11-01_10-00-00, 20261101-100000.
	{regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[-_](\d\d)[-.](\d\d)[-.](\d\d)(\.\d+)?$`), "$1 $2:$3:$4$5"},
	{regexp.MustCompile(`^(\d{8})[-_](\d{4}|\d{6})$`), "$1 $2"},
	// The time of day first: 10:00 01.11.2026.
	{regexp.MustCompile(`^(\d\d?:\d\d(?::\d\d)?(?: ?[AP]M)?),? ` +
		`(\d{4}-\d\d-\d\d|\d\d?\.\d\d?\.\d{4})$`), "$2 $1"},
	// Browsers: 11/1/2026, 10:00:00 AM.
	{regexp.MustCompile(`(\d), (\d\d?:)`), "$1 $2"},
	// AM and PM in German, Greek, and, in front of the hour, in Japanese, Chinese and Korean.
	{regexp.MustCompile(`(?i)(\d) ?(?:vorm\.|π\.?μ\.?$)`), "$1 AM"},
	{regexp.MustCompile(`(?i)(\d) ?(?:nachm\.|μ\.?μ\.?$)`), "$1 PM"},
	{regexp.MustCompile(`(?:午前|上午|오전) ?(\d\d?:\d\d(?::\d\d)?)`), "$1 AM"},
	{regexp.MustCompile(`(?:午後|下午|오후) ?(\d\d?:\d\d(?::\d\d)?)`), "$1 PM"},
	// Oracle: 01-NOV-26 10.00.00.123000 AM.
	{regexp.MustCompile(` (\d\d?)\.(\d\d)\.(\d\d)(\.\d+)?( |$)`), " $1:$2:$3$4$5"},
	// German, Italian, Finnish and Indonesian: 12.03.2026 14.05.
	{regexp.MustCompile(`^(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}|` +
		`\d\d? [A-Z][a-z]{2} \d{4}),? (\d\d?)\.(\d\d)( |$)`), "$1 $2:$3$4"},
	{regexp.MustCompile(`(:\d\d):(\d{3})\b`), "$1.$2"}, // milliseconds behind a colon
}

var (
	// zoneAtEnd is a time of day and its zone, as databases and programming languages write them.
	zoneAtEnd = regexp.MustCompile(`^(.*(?::\d\d?(?:[.,]\d+)?(?: ?[AP]M)?|[ T]\d{4,6}(?:\.\d+)?)) ?` +
		`(Z|[A-Z]{2,5}|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?)(?: [A-Z]{3,4})?$`)
	// timeAtEnd is a date and a time of day behind it.
	timeAtEnd = regexp.MustCompile(`^(.+) (\d\d?:\d\d?(:\d\d?(?:[.,]\d+)?)?)( ?[AP]M)?$`)
)

// guessed reads a time in one of the forms that mean one time. zoned is false if the text has no offset, and
// ok if it has another form.
func (c Clock) guessed(text string) (at time.Time, zoned, ok bool, err error) {
	text = spaces.ReplaceAllString(strings.TrimSpace(text), " ")
	if at, ok := compact(text); ok {
		return at, false, true, nil
	}
	if at, ok := epochOfUnknownUnit(text); ok {
		return at, true, true, nil
	}
	text = withoutWeek(withoutWords(capitalHalf(text)))
	for _, r := range rewrites {
		text = r.pattern.ReplaceAllString(text, r.by)
	}
	zone := ""
	if m := zoneAtEnd.FindStringSubmatch(text); m != nil && m[2] != "AM" && m[2] != "PM" {
		text, zone = m[1], m[2]
	}
	at, ok = c.wallTime(text)
	if ok && zone != "" {
		at, err = c.zoned(at, zone)
	}
	return at, zone != "", ok, err
}

// clockForm says which parts a time of day has beside hours and minutes.
type clockForm struct{ seconds, half bool }

// clockLayouts are the layouts of times of day behind a date.
var clockLayouts = map[clockForm]string{
	{seconds: false, half: false}: " 15:4",
	{seconds: true, half: false}:  " 15:4:5",
	{seconds: false, half: true}:  " 3:4 PM",
	{seconds: true, half: true}:   " 3:4:5 PM",
}

// wallTime reads a date, with or without a time of day behind it.
func (c Clock) wallTime(text string) (time.Time, bool) {
	date, clock := text, []string{"", ""} // its layout and its text
	if m := timeAtEnd.FindStringSubmatch(text); m != nil {
		half := strings.TrimSpace(m[4])
		date, clock = m[1], []string{clockLayouts[clockForm{seconds: m[3] != "", half: half != ""}], " " + m[2]}
		if half != "" {
			clock[1] += " " + half
		}
	}
	for _, layouts := range [][]string{dateLayouts, slashLayouts[c.Order]} {
		for _, l := range layouts {
			if at, err := time.Parse(l+clock[0], date+clock[1]); err == nil {
				return at, true
			}
		}
	}
	for _, l := range wholeLayouts {
		if at, err := time.Parse(l, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
