package model

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is an instant in UTC in whole milliseconds since 1970-01-01T00:00:00Z.
// Its String is fixed width, so byte order of stored times is time order and the
// order by which current is compared and swapped. The zero value is 1970.
type Time int64

// TimeLayout is the stored form of a Time, 24 bytes: 2026-04-20T14:00:00.000Z.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// MinTime and MaxTime bound what the fixed-width form can hold.
var (
	MinTime = TimeOf(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))
	MaxTime = TimeOf(time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC))
)

// epochMillisFrom is where a bare number stops meaning seconds and starts meaning
// milliseconds: 1e11 seconds is the year 5138, 1e11 milliseconds is March 1973.
const epochMillisFrom = 100_000_000_000

// Finer says what happens to an event time with more digits than milliseconds.
// It is never reordered silently: it is refused, or cut off by declaration.
type Finer int

// The two policies for digits below a millisecond.
const (
	RejectFiner   Finer = iota // the default: such a time is an error
	TruncateFiner              // digits below the millisecond are cut off
)

// Errors of ParseTime and ParseEpoch.
var (
	ErrTimeForm  = errors.New("not a time: want RFC 3339 (2026-04-20T14:00:00Z, no leap second) or epoch seconds or milliseconds")
	ErrTimeFiner = errors.New("finer than a millisecond: send milliseconds, or declare finerTime: truncate for the kind")
	ErrTimeRange = errors.New("out of range: the year must be 0001 to 9999, epoch numbers 1970 or later")
)

// TimeOf is t in UTC with everything below the millisecond cut off.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

// Time is t as the standard library's type, in UTC.
func (t Time) Time() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Seconds is t in whole epoch seconds, rounded down: the form of a TTL attribute.
func (t Time) Seconds() int64 {
	s := int64(t) / 1000
	if int64(t)%1000 < 0 {
		s--
	}
	return s
}

// Add is t moved by d, cut to milliseconds.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// Sub is the duration from u to t, at most the 292 years that a Duration holds: a
// time in the year 9999 is far ahead of now, never behind it.
func (t Time) Sub(u Time) time.Duration {
	const most = Time(math.MaxInt64 / int64(time.Millisecond))
	return time.Duration(min(max(t-u, -most), most)) * time.Millisecond
}

// String is the stored form, TimeLayout, of times from MinTime to MaxTime.
func (t Time) String() string { return string(t.Append(nil)) }

// Append writes the stored form to dst.
func (t Time) Append(dst []byte) []byte { return t.Time().AppendFormat(dst, TimeLayout) }

// MarshalText writes the stored form, for JSON and CSV.
func (t Time) MarshalText() ([]byte, error) { return t.Append(nil), nil }

// UnmarshalText reads what ParseTime reads, and refuses finer digits.
func (t *Time) UnmarshalText(b []byte) (err error) {
	*t, err = ParseTime(string(b), RejectFiner)
	return err
}

// ParseTime reads RFC 3339 with any offset, or epoch seconds or milliseconds in
// decimal digits. Numbers below 1e11 are seconds, the rest milliseconds.
func ParseTime(text string, finer Finer) (Time, error) {
	if text == "" {
		return 0, fmt.Errorf("empty: %w", ErrTimeForm)
	}
	if !strings.ContainsAny(text, "-:TtZz") || text[0] == '-' {
		return ParseEpoch(text, finer)
	}
	text = upperMarks(text)
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !strictRFC3339(text) {
		return 0, fmt.Errorf("%q: %w", clip(text), ErrTimeForm)
	}
	if finer == RejectFiner && hasFiner(text) {
		return 0, fmt.Errorf("%q: %w", clip(text), ErrTimeFiner)
	}
	return inRange(TimeOf(parsed), text)
}

// upperMarks spells the T and Z of an RFC 3339 time as the standard library wants
// them; RFC 3339 allows them in lower case.
func upperMarks(text string) string {
	if len(text) > 10 && text[10] == 't' {
		text = text[:10] + "T" + text[11:]
	}
	if strings.HasSuffix(text, "z") {
		text = text[:len(text)-1] + "Z"
	}
	return text
}

// strictRFC3339 refuses what time.Parse lets pass: hours of one digit, a comma before
// the fraction, offsets of a day or of sixty minutes.
func strictRFC3339(text string) bool {
	n := len(text)
	if n < len("2006-01-02T15:04:05Z") || text[13] != ':' || text[19] == ',' {
		return false
	}
	return text[n-1] == 'Z' || text[n-5:n-3] < "24" && text[n-2:] < "60"
}

// hasFiner looks for digits below the millisecond in the text itself: the standard
// library drops those below the nanosecond without a word.
func hasFiner(text string) bool {
	_, frac, _ := strings.Cut(text, ".")
	digits := strings.TrimRight(frac[:len(frac)-len(strings.TrimLeft(frac, "0123456789"))], "0")
	return len(digits) > 3
}

// ParseEpoch reads epoch seconds (below 1e11, with up to three decimals) or
// milliseconds, from plain decimal digits; exponents are refused.
func ParseEpoch(digits string, finer Finer) (Time, error) {
	whole, frac, dot := strings.Cut(digits, ".")
	negative := strings.HasPrefix(whole, "-")
	unsigned := strings.TrimPrefix(whole, "-")
	if unsigned == "" || !digitsOnly(unsigned) || dot && frac == "" || !digitsOnly(frac) {
		return 0, fmt.Errorf("%q: %w", clip(digits), ErrTimeForm)
	}
	n, err := strconv.ParseInt(unsigned, 10, 64)
	if err != nil || negative || n > int64(MaxTime) {
		return 0, fmt.Errorf("%q: %w", clip(digits), ErrTimeRange)
	}
	digitsKept := 0
	if n < epochMillisFrom {
		digitsKept, n = 3, n*1000
	}
	frac = strings.TrimRight(frac, "0")
	if len(frac) > digitsKept {
		if finer == RejectFiner {
			return 0, fmt.Errorf("%q: %w", clip(digits), ErrTimeFiner)
		}
		frac = frac[:digitsKept]
	}
	if frac != "" {
		ms, _ := strconv.ParseInt((frac + "00")[:3], 10, 64)
		n += ms
	}
	return Time(n), nil
}

func inRange(t Time, text string) (Time, error) {
	if t < MinTime || t > MaxTime {
		return 0, fmt.Errorf("%q: %w", clip(text), ErrTimeRange)
	}
	return t, nil
}

// clip keeps error messages short whatever the input was.
func clip(text string) string {
	if len(text) > 64 {
		return text[:64] + "…"
	}
	return text
}
