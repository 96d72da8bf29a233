package jsonscan

import "math/bits"

// lowest is the place of the lowest byte marked in a word.
func lowest(marks uint64) int { return bits.TrailingZeros64(marks) >> 3 }

// Space is the first place from i on that is no white space; len(b) where none is.
func Space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// Is reports whether the byte at i is c; it is not where the text has ended.
func Is(b []byte, i int, c byte) bool { return uint(i) < uint(len(b)) && b[i] == c }

// Null reports whether the value at i is null, which encoding/json takes for a value
// that is not there.
func Null(b []byte, i int) bool { return Is(b, i, 'n') }

// Text reads the string at i; text.Bytes is nil and next is i where the value there
// is no string.
func Text(b []byte, i int) (text Raw, next int) {
	if !Is(b, i, '"') {
		return Raw{}, i
	}
	end, plain := String(b, i+1)
	if end == Broken {
		return Raw{}, Broken
	}
	return Raw{b[i+1 : end], plain}, end + 1
}

// Sibling reads on in an object or array: from after its opening bracket, where first,
// or from after the element before, to the next one. more is false at its closing
// bracket, and next is then the place after that.
func Sibling(b []byte, i int, first bool, closing byte) (next int, more bool) {
	switch i = Space(b, i); {
	case i >= len(b):
		return Broken, false
	case b[i] == closing:
		return i + 1, false
	case first:
		return i, true
	case b[i] == ',':
		return Space(b, i+1), true
	}
	return Broken, false
}

// Follows reports whether another member follows at i as members mostly do, its name
// being next. Sibling finds the others.
func Follows(b []byte, i int) bool { return i+1 < len(b) && b[i] == ',' && b[i+1] == '"' }

// Name reads the name of the member at i, and on to its value.
func Name(b []byte, i int) (name Raw, value int) {
	name, i = Text(b, i)
	if name.Bytes == nil || i == Broken {
		return Raw{}, Broken
	}
	if i = Space(b, i); !Is(b, i, ':') {
		return Raw{}, Broken
	}
	return name, Space(b, i+1)
}

// Skip passes the value at i, checking it as encoding/json does.
func Skip(b []byte, i int) int { return skip(b, i, 0) }

func skip(b []byte, i, depth int) int {
	if i >= len(b) {
		return Broken
	}
	switch b[i] {
	case '"':
		if i, _ = String(b, i+1); i == Broken {
			return Broken
		}
		return i + 1
	case '{':
		return skipObject(b, i+1, depth+1)
	case '[':
		return skipArray(b, i+1, depth+1)
	case 't':
		return literal(b, i, "true")
	case 'f':
		return literal(b, i, "false")
	case 'n':
		return literal(b, i, "null")
	}
	return Number(b, i)
}

func skipObject(b []byte, i, depth int) int {
	for first := true; i != Broken && depth <= MaxDepth; first = false {
		at, more := Sibling(b, i, first, '}')
		if !more {
			return at
		}
		if _, at = Name(b, at); at == Broken {
			return Broken
		}
		i = skip(b, at, depth)
	}
	return Broken
}

func skipArray(b []byte, i, depth int) int {
	for first := true; i != Broken && depth <= MaxDepth; first = false {
		at, more := Sibling(b, i, first, ']')
		if !more {
			return at
		}
		i = skip(b, at, depth)
	}
	return Broken
}

func literal(b []byte, i int, text string) int {
	if end := i + len(text); end <= len(b) && string(b[i:end]) == text {
		return end
	}
	return Broken
}

// Number passes a number: an optional minus, digits without a zero in front, then
// digits after a point and an exponent, where they are.
func Number(b []byte, i int) int {
	if Is(b, i, '-') {
		i++
	}
	if Is(b, i, '0') {
		i++
	} else if i = digits(b, i); i == Broken {
		return Broken
	}
	if Is(b, i, '.') {
		if i = digits(b, i+1); i == Broken {
			return Broken
		}
	}
	if Is(b, i, 'e') || Is(b, i, 'E') {
		if i++; Is(b, i, '+') || Is(b, i, '-') {
			i++
		}
		return digits(b, i)
	}
	return i
}

// digits passes digits, of which there must be one.
func digits(b []byte, i int) int {
	from := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == from {
		return Broken
	}
	return i
}

// End reports whether nothing but white space follows i.
func End(b []byte, i int) bool { return Space(b, i) == len(b) }

// Digits reads a whole number of up to 18 digits, as a JSON number spells it. next is
// Broken where there is none, or more digits; what may follow is the caller's to judge.
func Digits(b []byte, i int) (n int64, next int) {
	from := i
	for ; i < len(b) && i < from+18 && b[i]-'0' <= 9; i++ {
		n = n*10 + int64(b[i]-'0')
	}
	if i == from || i > from+1 && b[from] == '0' || i < len(b) && b[i]-'0' <= 9 {
		return 0, Broken
	}
	return n, i
}
