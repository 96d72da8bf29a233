package times

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Durations describes what ParseSpan accepts, for error messages and help.
const Durations = "30s, 5m, 12h, 7d, 4w, 1y or a sequence such as 1d12h"

// The errors of ParseSpan.
var (
	ErrSpan    = errors.New("not a duration: write " + Durations)
	ErrTooLong = errors.New("longer than 200 years")
)

const (
	day = 24 * time.Hour

	longest = 200 * 365 * day
)

// units are the units of a duration. A day always has 24 hours, a year 365 days.
var units = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour,
	"d": day, "w": 7 * day, "y": 365 * day,
}

// ParseSpan returns the duration of a text: numbers with a unit each, 7d or 1h30m or 1.5h.
// It is not negative. The error wraps ErrSpan or ErrTooLong.
func ParseSpan(text string) (time.Duration, error) {
	var sum float64
	for rest := strings.TrimSpace(text); ; {
		n, unit, after, ok := cutPart(rest)
		if !ok {
			return 0, fmt.Errorf("%.64q is %w", text, ErrSpan)
		}
		if sum += n * float64(unit); sum > float64(longest) {
			return 0, fmt.Errorf("%.64q is %w", text, ErrTooLong)
		}
		if rest = after; rest == "" {
			return time.Duration(math.Round(sum)), nil
		}
	}
}

// cutPart cuts the first number and its unit off a text.
func cutPart(text string) (n float64, unit time.Duration, rest string, ok bool) {
	rest = strings.TrimLeft(text, "0123456789.")
	number := text[:len(text)-len(rest)]
	name := rest[:len(rest)-len(strings.TrimLeft(rest, "mshdwy"))]
	if unit, ok = units[name]; !ok {
		return 0, 0, "", false
	}
	n, err := strconv.ParseFloat(number, 64)
	return n, unit, rest[len(name):], err == nil
}

// Span is a duration as a flag. The zero value is 0.
type Span time.Duration

// Set parses a text by ParseSpan.
func (s *Span) Set(text string) error {
	d, err := ParseSpan(text)
	if err == nil {
		*s = Span(d)
	}
	return err
}

// String returns the duration as Go writes it, and "" for 0, so that help shows no default.
func (s *Span) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

// Text returns the duration as people write it: 30m, 1h30m, and 0s for 0. ParseSpan reads it.
func (s Span) Text() string {
	if s < Span(time.Millisecond) {
		return "0s"
	}
	var text strings.Builder
	for _, u := range []string{"d", "h", "m", "s", "ms"} {
		if n := time.Duration(s) / units[u]; n > 0 {
			fmt.Fprintf(&text, "%d%s", n, u)
			s -= Span(n * units[u])
		}
	}
	return text.String()
}

// MarshalText is Text, for JSON.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.Text()), nil }

// UnmarshalText is Set, for JSON.
func (s *Span) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// Type returns the word that help shows for the value.
func (s *Span) Type() string { return "duration" }
