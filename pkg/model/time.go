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
	ErrTimeForm  = errors.New("not a time: want RFC 3339 (2026-04-20T14:00:00Z) or epoch seconds or milliseconds")
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

// Sub is the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Millisecond }

// String is the stored form, TimeLayout.
func (t Time) String() string { return string(t.Append(nil)) }

// Append writes the stored form to dst.
func (t Time) Append(dst []byte) []byte { return t.Time().AppendFormat(dst, TimeLayout) }

// MarshalText writes the stored form, for JSON and CSV.
func (t Time) MarshalText() ([]byte, error) { return t.Append(nil), nil }

// UnmarshalText reads any RFC 3339 form.
func (t *Time) UnmarshalText(b []byte) (err error) {
	*t, err = ParseTime(string(b), RejectFiner)
	return err
}

// ParseTime reads RFC 3339 with any offset, or epoch seconds or milliseconds in
// decimal digits. Numbers below 1e11 are seconds, the rest milliseconds.
func ParseTime(text string, finer Finer) (Time, error) {
	if text == "" {
		return 0, ErrTimeForm
	}
	if !strings.ContainsAny(text, "-:TtZz") || text[0] == '-' {
		return ParseEpoch(text, finer)
	}
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !strictRFC3339(text) {
		return 0, fmt.Errorf("%q: %w", clip(text), ErrTimeForm)
	}
	if parsed.Nanosecond()%1e6 != 0 && finer == RejectFiner {
		return 0, fmt.Errorf("%q: %w", clip(text), ErrTimeFiner)
	}
	return inRange(TimeOf(parsed), text)
}

// ParseEpoch reads epoch seconds (below 1e11, with up to three decimals) or
// milliseconds, from plain decimal digits; exponents are refused.
func ParseEpoch(digits string, finer Finer) (Time, error) {
	whole, frac, _ := strings.Cut(digits, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.HasPrefix(whole, "+") || strings.Trim(frac, "0123456789") != "" {
		return 0, fmt.Errorf("%q: %w", clip(digits), ErrTimeForm)
	}
	if strings.HasPrefix(whole, "-") || n > math.MaxInt64/1000 {
		return 0, fmt.Errorf("%q: %w", clip(digits), ErrTimeRange)
	}
	frac = strings.TrimRight(frac, "0")
	digitsKept := 0
	if n < epochMillisFrom {
		digitsKept, n = 3, n*1000
	}
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
	return inRange(Time(n), digits)
}

// strictRFC3339 refuses what time.Parse lets pass: a comma before the fraction
// and hours of one digit.
func strictRFC3339(text string) bool {
	return !strings.Contains(text, ",") && len(text) > 16 && text[13] == ':' && text[16] == ':'
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
