package model

import (
	"encoding/binary"
	"fmt"
)

// ParseStored is the strict way back from String: TimeLayout and nothing else.
func ParseStored(text string) (Time, error) {
	var s StoredTimes
	return s.Parse([]byte(text))
}

// parseOdd is ParseStored of what is rare.
func parseOdd(text string) (Time, error) {
	if len(text) != len(TimeLayout) || text[10] != 'T' || text[19] != '.' || text[23] != 'Z' {
		return 0, fmt.Errorf("%q: not a stored time: want the form %s", clip(text), TimeLayout)
	}
	return ParseTime(text, RejectFiner)
}

// StoredTimes reads stored times one after the other, most of which are of the same day
// as the one before. The zero value is ready; it is not safe for concurrent use.
type StoredTimes struct {
	date [2]uint64 // the last one's, as it stands in the text,
	days int64     // and how many days that is from 1970-01-01
}

// Parse is ParseStored of text that its owner will write over.
func (s *StoredTimes) Parse(text []byte) (Time, error) {
	if t, ok := s.parse(text); ok {
		return t, nil
	}
	return parseOdd(string(text))
}

// parse reads a stored time of the years in which clocks run, 1970 to 9999, eight bytes
// at a time. What it does not read, ParseTime does, or says what is wrong.
func (s *StoredTimes) parse(text []byte) (Time, bool) {
	if len(text) != len(TimeLayout) {
		return 0, false
	}
	a, b, c := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:]), binary.LittleEndian.Uint64(text[16:])
	if date := [2]uint64{a, b & 0xffff}; date != s.date {
		days, ok := parseDate(a, b)
		if !ok {
			return 0, false
		}
		s.date, s.days = date, days
	}
	b, c = b^zeroHour, c^zeroSecond
	if above(b, digitsOfHour)|above(c, digitsOfSecond) != 0 {
		return 0, false
	}
	ms := int64(c>>32&0xff)*100 + int64(c>>40&0xff)*10 + int64(c>>48&0xff)
	b, c = pairs(b), pairs(c)
	hour, minute, second := int64(b>>24&0xff), int64(b>>48&0xff), int64(c>>8&0xff)
	if hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return Time((((s.days*24+hour)*60+minute)*60+second)*1000 + ms), true
}

// parseDate reads the date in a and the first two bytes of b.
func parseDate(a, b uint64) (days int64, ok bool) {
	a, b = a^zeroDate, b^zeroHour
	if above(a, digitsOfDate)|above(b, digitsOfHour) != 0 {
		return 0, false
	}
	a, b = pairs(a), pairs(b)
	year, month, day := int64(a&0xff)*100+int64(a>>16&0xff), int64(a>>40&0xff), int64(b&0xff)
	if year < 1970 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) {
		return 0, false
	}
	return daysBefore(year, month) + day - 1, true
}

// pairs has in place of each byte what it and the next are as two digits.
func pairs(x uint64) uint64 { return x*10 + x>>8 }

// A stored time as three words, each digit being 0, and how much each byte may be above:
// what stands between digits becomes zero by the one, and may be no more by the other.
var (
	zeroDate, digitsOfDate     = word("0000-00-"), most9("0000-00-")
	zeroHour, digitsOfHour     = word("00T00:00"), most9("00T00:00")
	zeroSecond, digitsOfSecond = word(":00.000Z"), most9(":00.000Z")
)

func word(text string) uint64 { return binary.LittleEndian.Uint64([]byte(text)) }

// most9 has for each byte what takes more than it may be above 0x7f: for a digit 9, for
// what stands between digits 0.
func most9(text string) uint64 {
	var room [8]byte
	for i := range room {
		if room[i] = 0x7f; text[i] == '0' {
			room[i] -= 9
		}
	}
	return binary.LittleEndian.Uint64(room[:])
}

// above is zero where no byte of x is more than it may be. The lowest that is does not
// come of a carry, so that where one is, it is not zero.
func above(x, room uint64) uint64 { return (x | (x + room)) & 0x8080808080808080 }

// daysBefore is how many days lie between 1970-01-01 and the first of a month. The
// year is counted from March, so that a leap day is its last.
func daysBefore(year, month int64) int64 {
	if month -= 3; month < 0 {
		month, year = month+12, year-1
	}
	const from = 719_468 // days from 0000-03-01 to 1970-01-01
	return year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 - from
}

func daysIn(year, month int64) int64 {
	if month == 12 {
		return 31
	}
	return daysBefore(year, month+1) - daysBefore(year, month)
}
