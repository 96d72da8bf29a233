// Package storedtime parses times in the form in which they are stored, the fixed-width model.TimeLayout. It
// is strict and fast: a batch of the table stream or a page of a query holds several of them in each item.
package storedtime

import (
	"encoding/binary"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Parse parses text in the form that model.Time.String returns, and in no other form.
func Parse(text string) (model.Time, error) {
	var p Parser
	return p.Parse([]byte(text))
}

// parseAny parses the valid texts that Parser.parse does not handle, and returns the error of an invalid one.
func parseAny(text string) (model.Time, error) {
	if len(text) != len(model.TimeLayout) || text[10] != 'T' || text[19] != '.' || text[23] != 'Z' {
		return 0, fmt.Errorf("%.64q: not a stored time: want the form %s", text, model.TimeLayout)
	}
	return model.ParseTime(text, model.RejectFinerTime)
}

// Parser parses a sequence of stored times. It is fastest when most have the same date
// as the previous one. The zero value is ready to use; it is not safe for concurrent use.
type Parser struct {
	date [2]uint64 // the bytes of the previous date
	days int64     // the same date in days since 1970-01-01
}

// Parse is like the function Parse. It does not keep text.
func (p *Parser) Parse(text []byte) (model.Time, error) {
	if t, ok := p.parse(text); ok {
		return t, nil
	}
	return parseAny(string(text))
}

// parse parses a stored time from 1970 to 9999, eight bytes at a time. ok is false for
// other years and for invalid text.
func (p *Parser) parse(text []byte) (t model.Time, ok bool) {
	if len(text) != len(model.TimeLayout) {
		return 0, false
	}
	a := binary.LittleEndian.Uint64(text)
	b := binary.LittleEndian.Uint64(text[8:])
	c := binary.LittleEndian.Uint64(text[16:])
	if date := [2]uint64{a, b & 0xffff}; date != p.date {
		days, ok := parseDate(a, b)
		if !ok {
			return 0, false
		}
		p.date, p.days = date, days
	}
	b, c = b^zeroHour, c^zeroSecond
	if exceeds(b, digitsOfHour)|exceeds(c, digitsOfSecond) != 0 {
		return 0, false
	}
	ms := int64(c>>32&0xff)*100 + int64(c>>40&0xff)*10 + int64(c>>48&0xff)
	b, c = pairs(b), pairs(c)
	hour := int64(b >> 24 & 0xff)
	minute := int64(b >> 48 & 0xff)
	second := int64(c >> 8 & 0xff)
	if hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return model.Time((((p.days*24+hour)*60+minute)*60+second)*1000 + ms), true
}

// parseDate parses the date in a and the first two bytes of b, and returns the days since 1970-01-01.
func parseDate(a, b uint64) (days int64, ok bool) {
	a, b = a^zeroDate, b^zeroHour
	if exceeds(a, digitsOfDate)|exceeds(b, digitsOfHour) != 0 {
		return 0, false
	}
	a, b = pairs(a), pairs(b)
	year := int64(a&0xff)*100 + int64(a>>16&0xff)
	month := int64(a >> 40 & 0xff)
	day := int64(b & 0xff)
	if year < 1970 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) {
		return 0, false
	}
	return daysBefore(year, month) + day - 1, true
}

// pairs replaces each byte by the number that it and the next byte form as two digits.
func pairs(x uint64) uint64 { return x*10 + x>>8 }

// A stored time is read as three words. XOR with a zero word turns digits into their values and separators
// into 0. The limits of the three words allow a digit to be at most 9, and a separator to be exactly 0.
var (
	zeroDate, digitsOfDate     = word("0000-00-"), limits("0000-00-")
	zeroHour, digitsOfHour     = word("00T00:00"), limits("00T00:00")
	zeroSecond, digitsOfSecond = word(":00.000Z"), limits(":00.000Z")
)

func word(text string) uint64 { return binary.LittleEndian.Uint64([]byte(text)) }

// limits returns for each byte the number that, added to a byte past its limit, sets the
// high bit: 0x7f less 9 for a digit, 0x7f for a separator.
func limits(text string) uint64 {
	var limit [8]byte
	for i := range limit {
		if limit[i] = 0x7f; text[i] == '0' {
			limit[i] -= 9
		}
	}
	return binary.LittleEndian.Uint64(limit[:])
}

// exceeds is zero if no byte of x exceeds its limit. A carry can only come from a byte that
// exceeds its limit, so the result is never zero by accident, and never non-zero by one.
func exceeds(x, limit uint64) uint64 { return (x | (x + limit)) & 0x8080808080808080 }

// daysBefore returns the days from 1970-01-01 to the first day of a month. It counts the
// year from March, so that a leap day is the last day of the year.
func daysBefore(year, month int64) int64 {
	if month -= 3; month < 0 {
		month, year = month+12, year-1
	}
	const from = 719_468 // days from 0000-03-01 to 1970-01-01
	return year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 - from
}

// daysIn returns the number of days in a month.
func daysIn(year, month int64) int64 {
	if month == 12 {
		return 31
	}
	return daysBefore(year, month+1) - daysBefore(year, month)
}
