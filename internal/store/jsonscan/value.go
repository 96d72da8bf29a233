package jsonscan

import "math/bits"

// lowest returns the index of the lowest marked byte of a word.
func lowest(marks uint64) int { return bits.TrailingZeros64(marks) >> 3 }

// Space returns the index of the first byte from i on that is not white space, or len(b).
func Space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// Is reports whether the byte at i is c. It is false at the end of the text.
func Is(b []byte, i int, c byte) bool { return uint(i) < uint(len(b)) && b[i] == c }

// Null reports whether the value at i is null, which encoding/json treats like an absent value.
func Null(b []byte, i int) bool { return Is(b, i, 'n') }

// Text scans the string at i. If the value there is not a string, text.Bytes is nil and next is i.
func Text(b []byte, i int) (text Raw, next int) {
	if !Is(b, i, '"') {
		return Raw{}, i
	}
	end, plain := String(b, i+1)
	if end == Invalid {
		return Raw{}, Invalid
	}
	return Raw{b[i+1 : end], plain}, end + 1
}

// Sibling moves to the next element of an object or array. i is the index after the opening
// bracket if first is true, else the index after the previous element. At the closing
// bracket more is false, and next is the index after it.
func Sibling(b []byte, i int, first bool, closing byte) (next int, more bool) {
	switch i = Space(b, i); {
	case i >= len(b):
		return Invalid, false
	case b[i] == closing:
		return i + 1, false
	case first:
		return i, true
	case b[i] == ',':
		return Space(b, i+1), true
	}
	return Invalid, false
}

// NextMember reports whether a comma and a name follow at i without white space. If not,
// Sibling must be used.
func NextMember(b []byte, i int) bool { return i+1 < len(b) && b[i] == ',' && b[i+1] == '"' }

// Name scans the name of the member at i. value is the index of its value.
func Name(b []byte, i int) (name Raw, value int) {
	name, i = Text(b, i)
	if name.Bytes == nil || i == Invalid {
		return Raw{}, Invalid
	}
	if i = Space(b, i); !Is(b, i, ':') {
		return Raw{}, Invalid
	}
	return name, Space(b, i+1)
}

// Skip returns the index after the value at i. It validates the value like encoding/json.
func Skip(b []byte, i int) int { return skip(b, i, 0) }

func skip(b []byte, i, depth int) int {
	if i >= len(b) {
		return Invalid
	}
	switch b[i] {
	case '"':
		if i, _ = String(b, i+1); i == Invalid {
			return Invalid
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
	for first := true; i != Invalid && depth <= MaxDepth; first = false {
		at, more := Sibling(b, i, first, '}')
		if !more {
			return at
		}
		if _, at = Name(b, at); at == Invalid {
			return Invalid
		}
		i = skip(b, at, depth)
	}
	return Invalid
}

func skipArray(b []byte, i, depth int) int {
	for first := true; i != Invalid && depth <= MaxDepth; first = false {
		at, more := Sibling(b, i, first, ']')
		if !more {
			return at
		}
		i = skip(b, at, depth)
	}
	return Invalid
}

func literal(b []byte, i int, text string) int {
	if end := i + len(text); end <= len(b) && string(b[i:end]) == text {
		return end
	}
	return Invalid
}

// Number returns the index after the number at i: an optional minus, digits without a leading
// zero, an optional fraction and an optional exponent.
func Number(b []byte, i int) int {
	if Is(b, i, '-') {
		i++
	}
	if Is(b, i, '0') {
		i++
	} else if i = digits(b, i); i == Invalid {
		return Invalid
	}
	if Is(b, i, '.') {
		if i = digits(b, i+1); i == Invalid {
			return Invalid
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

// digits returns the index after one or more digits.
func digits(b []byte, i int) int {
	from := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == from {
		return Invalid
	}
	return i
}

// End reports whether only white space follows at i.
func End(b []byte, i int) bool { return Space(b, i) == len(b) }

// Digits parses a JSON integer of up to 18 digits without a sign. next is Invalid if there is
// none or it has more digits. The caller must check what follows.
func Digits(b []byte, i int) (n int64, next int) {
	from := i
	for ; i < len(b) && i < from+18 && b[i]-'0' <= 9; i++ {
		n = n*10 + int64(b[i]-'0')
	}
	if i == from || i > from+1 && b[from] == '0' || i < len(b) && b[i]-'0' <= 9 {
		return 0, Invalid
	}
	return n, i
}
