package model

import "fmt"

// ParseStored is the strict way back from String: TimeLayout and nothing else.
func ParseStored(text string) (Time, error) {
	if t, ok := parseFixed(text); ok {
		return t, nil
	}
	if len(text) != len(TimeLayout) || text[10] != 'T' || text[19] != '.' || text[23] != 'Z' {
		return 0, fmt.Errorf("%q: not a stored time: want the form %s", clip(text), TimeLayout)
	}
	return ParseTime(text, RejectFiner)
}

// ParseStoredBytes is ParseStored of text that its owner will write over.
func ParseStoredBytes(text []byte) (Time, error) {
	if t, ok := parseFixed(text); ok {
		return t, nil
	}
	return ParseStored(string(text))
}

// parseFixed reads a stored time of the years in which clocks run, 1970 to 9999,
// digit by digit. What it does not read, ParseTime does, or says what is wrong.
func parseFixed[T string | []byte](text T) (Time, bool) {
	if len(text) != len(TimeLayout) || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
		text[13] != ':' || text[16] != ':' || text[19] != '.' || text[23] != 'Z' {
		return 0, false
	}
	var digits digitReader
	year := digits.two(text[0], text[1])*100 + digits.two(text[2], text[3])
	month, day := digits.two(text[5], text[6]), digits.two(text[8], text[9])
	hour, minute, second := digits.two(text[11], text[12]), digits.two(text[14], text[15]), digits.two(text[17], text[18])
	ms := digits.two(text[20], text[21])*10 + digits.two('0', text[22])
	if digits.other || year < 1970 ||
		month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	seconds := ((daysBefore(year, month)+day-1)*24+hour)*3600 + minute*60 + second
	return Time(seconds*1000 + ms), true
}

// digitReader reads pairs of digits and remembers whether one was none.
type digitReader struct{ other bool }

func (r *digitReader) two(tens, ones byte) int64 {
	tens, ones = tens-'0', ones-'0'
	r.other = r.other || tens > 9 || ones > 9
	return int64(tens)*10 + int64(ones)
}

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
