package model

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is an instant in UTC in milliseconds since 1970-01-01T00:00:00Z. Its String has a
// fixed width, so that the byte order of stored times is their time order; conditions on
// the latest item compare these bytes. The zero value is 1970.
type Time int64

// TimeLayout is the stored form of a Time, 24 bytes: 2026-04-20T14:00:00.000Z.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// MinTime and MaxTime are the bounds of the fixed-width form.
var (
	MinTime = NewTime(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))
	MaxTime = NewTime(time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC))
)

// epochMillisFrom is the smallest number that means milliseconds; smaller ones mean seconds.
// 1e11 seconds is the year 5138, 1e11 milliseconds is March 1973.
const epochMillisFrom = 100_000_000_000

// FinerTimePolicy is what happens to an event time with digits below the millisecond. They
// are rejected by default, because cutting them off can change the order of events.
type FinerTimePolicy int

// The two policies for digits below a millisecond.
const (
	RejectFinerTime   FinerTimePolicy = iota // the default: such a time is an error
	TruncateFinerTime                        // these digits are cut off
)

// Errors of ParseTime and ParseEpoch.
var (
	ErrTimeForm = errors.New(
		"not a time: want RFC 3339 (2026-04-20T14:00:00Z, no leap second) or epoch seconds or milliseconds")
	ErrTimeFiner = errors.New(
		"finer than a millisecond: send milliseconds, or set finerTime: truncate for the kind")
	ErrTimeRange = errors.New("out of range: the year must be 0001 to 9999, epoch numbers 1970 or later")
)

// NewTime returns t in UTC, with digits below the millisecond cut off.
func NewTime(t time.Time) Time { return Time(t.UnixMilli()) }

// Time returns t as a time.Time in UTC.
func (t Time) Time() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Seconds returns t in epoch seconds, rounded down: the form of a TTL attribute.
func (t Time) Seconds() int64 {
	s := int64(t) / 1000
	if int64(t)%1000 < 0 {
		s--
	}
	return s
}

// Add returns t plus d, with d cut to milliseconds.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// Sub returns the duration from u to t. It saturates at the 292 years that a Duration can
// hold, so that a time in the year 9999 is after now.
func (t Time) Sub(u Time) time.Duration {
	const limit = Time(math.MaxInt64 / int64(time.Millisecond))
	return time.Duration(min(max(t-u, -limit), limit)) * time.Millisecond
}

// String returns the stored form, TimeLayout. t must be from MinTime to MaxTime.
func (t Time) String() string { return string(t.Append(nil)) }

// Append appends the stored form to dst.
func (t Time) Append(dst []byte) []byte { return t.Time().AppendFormat(dst, TimeLayout) }

// MarshalText returns the stored form, for JSON and CSV.
func (t Time) MarshalText() ([]byte, error) { return t.Append(nil), nil }

// UnmarshalText parses what ParseTime parses, and rejects digits below the millisecond.
func (t *Time) UnmarshalText(b []byte) (err error) {
	*t, err = ParseTime(string(b), RejectFinerTime)
	return err
}

// ParseTime parses RFC 3339 with any offset, or epoch seconds or milliseconds in decimal digits. Numbers
// below 1e11 are seconds, others milliseconds. The error wraps ErrTimeForm, ErrTimeFiner or ErrTimeRange.
func ParseTime(text string, finer FinerTimePolicy) (Time, error) {
	if text == "" {
		return 0, fmt.Errorf("empty: %w", ErrTimeForm)
	}
	if !strings.ContainsAny(text, "-:TtZz") || text[0] == '-' {
		return parseDigits(text, finer)
	}
	text = upperMarks(text)
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !strictRFC3339(text) {
		return 0, fmt.Errorf("%q: %w", clip(text), ErrTimeForm)
	}
	if finer == RejectFinerTime && hasFiner(text) {
		return 0, fmt.Errorf("%q: %w", clip(text), ErrTimeFiner)
	}
	return inRange(NewTime(parsed), text)
}

// upperMarks returns an RFC 3339 time with T and Z in upper case, as the standard library
// requires them; RFC 3339 allows lower case.
func upperMarks(text string) string {
	if len(text) > 10 && text[10] == 't' {
		text = text[:10] + "T" + text[11:]
	}
	if strings.HasSuffix(text, "z") {
		text = text[:len(text)-1] + "Z"
	}
	return text
}

// strictRFC3339 is false for invalid texts that time.Parse accepts: hours of one digit, a
// comma before the fraction, offsets of a day or of sixty minutes.
func strictRFC3339(text string) bool {
	n := len(text)
	if n < len("2006-01-02T15:04:05Z") || text[13] != ':' || text[19] == ',' {
		return false
	}
	return text[n-1] == 'Z' || text[n-5:n-3] < "24" && text[n-2:] < "60"
}

// hasFiner reports whether the text has digits below the millisecond. It checks the text
// because the standard library ignores digits below the nanosecond.
func hasFiner(text string) bool {
	_, frac, _ := strings.Cut(text, ".")
	digits := strings.TrimRight(frac[:len(frac)-len(strings.TrimLeft(frac, "0123456789"))], "0")
	return len(digits) > 3
}

// ParseEpoch parses a JSON number of epoch seconds (below 1e11, with up to three decimals) or milliseconds.
// It may have an exponent from 0 to 15, as programs print such a number: 1.7766936E9. The errors are
// ParseTime's.
func ParseEpoch(number string, finer FinerTimePolicy) (Time, error) {
	return parseDigits(withoutExponent(number), finer)
}

// mostExponent is the largest exponent of a number of milliseconds with one digit before the point, and one
// more, so that a number of microseconds is named.
const mostExponent = 15

// withoutExponent returns the digits of a number with an exponent from 0 to mostExponent, and any other text
// unchanged.
func withoutExponent(number string) string {
	e := strings.IndexAny(number, "eE")
	if e < 0 {
		return number
	}
	exponent, err := strconv.Atoi(number[e+1:])
	integer, frac, dot := strings.Cut(number[:e], ".")
	if err != nil || exponent < 0 || exponent > mostExponent || integer == "" || integer == "-" ||
		dot && frac == "" || !digitsOnly(frac) {
		return number
	}
	frac += strings.Repeat("0", max(0, exponent-len(frac)))
	return integer + frac[:exponent] + "." + frac[exponent:] + "0"
}

func parseDigits(digits string, finer FinerTimePolicy) (Time, error) {
	integer, frac, dot := strings.Cut(digits, ".")
	negative := strings.HasPrefix(integer, "-")
	unsigned := strings.TrimPrefix(integer, "-")
	if unsigned == "" || !digitsOnly(unsigned) || dot && frac == "" || !digitsOnly(frac) {
		return 0, fmt.Errorf("%q: %w", clip(digits), ErrTimeForm)
	}
	n, err := strconv.ParseInt(unsigned, 10, 64)
	if err != nil || negative || n > int64(MaxTime) {
		return 0, fmt.Errorf("%q: %w%s", clip(digits), ErrTimeRange, smallerUnit(n))
	}
	digitsKept := 0
	if n < epochMillisFrom {
		digitsKept, n = 3, n*1000
	}
	frac = strings.TrimRight(frac, "0")
	if len(frac) > digitsKept {
		if finer == RejectFinerTime {
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

// smallerUnit names the unit in which n is a time after 2001 and before 2286.
func smallerUnit(n int64) string {
	const from, until = 1e9, 1e10 // seconds
	switch {
	case n >= from*1e6 && n < until*1e6:
		return "; it is a time in microseconds: divide it by 1,000"
	case n >= from*1e9:
		return "; it is a time in nanoseconds: divide it by 1,000,000"
	}
	return ""
}

func inRange(t Time, text string) (Time, error) {
	if t < MinTime || t > MaxTime {
		return 0, fmt.Errorf("%q: %w", clip(text), ErrTimeRange)
	}
	return t, nil
}

// clip returns at most 64 bytes of text, for error messages.
func clip(text string) string {
	if len(text) > 64 {
		return text[:64] + "…"
	}
	return text
}
