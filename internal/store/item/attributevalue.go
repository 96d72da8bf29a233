package item

import "github.com/tidemark-db/tidemark/internal/store/jsonscan"

// value is a scanned attribute value. text is the content of S, N and B, with escapes resolved.
// from and to are the indexes of that content, or of the literal of a BOOL.
type value struct {
	typ  Type
	text []byte
	bool bool
	from int
	to   int
	bad  bool // it does not have the form of its type
}

// value scans an object with one member, whose name is the type. Null, no member, several
// members, and types that are never written are Other.
func (s *Scanner) value(b []byte, i int) (v value, next int) {
	if !jsonscan.Is(b, i, '{') {
		return value{bad: !jsonscan.Null(b, i)}, jsonscan.Skip(b, i)
	}
	i++
	for members := 0; ; members++ {
		at, more := jsonscan.Sibling(b, i, members == 0, '}')
		if !more {
			if members != 1 {
				v.typ = Other
			}
			return v, at
		}
		name, at := jsonscan.Name(b, at)
		if at == jsonscan.Invalid {
			return v, at
		}
		typ, _ := s.text(name) // invalid UTF-8 is not the name of a type
		if i = s.typed(b, at, typ, &v); i == jsonscan.Invalid {
			return v, i
		}
	}
}

// typed scans the value of the member named typ.
func (s *Scanner) typed(b []byte, i int, typ []byte, v *value) (next int) {
	switch string(typ) {
	case "S":
		return s.quoted(b, i, S, v)
	case "N":
		return s.quoted(b, i, N, v)
	case "B":
		return s.quoted(b, i, B, v)
	}
	next = jsonscan.Skip(b, i)
	if next == jsonscan.Invalid || jsonscan.Null(b, i) {
		return next
	}
	switch string(typ) {
	case "BOOL":
		v.typ = Bool
		v.bool = b[i] == 't'
		v.from = i
		v.to = next
	case "NULL":
		v.typ = Null
		v.from = next
		v.to = next
	default:
		return next
	}
	v.bad = v.bad || b[i] != 't' && b[i] != 'f'
	return next
}

// quoted scans the string of S, N and B.
func (s *Scanner) quoted(b []byte, i int, typ Type, v *value) (next int) {
	raw, next := jsonscan.Text(b, i)
	if raw.Bytes == nil {
		v.bad = v.bad || !jsonscan.Null(b, i)
		return jsonscan.Skip(b, i)
	}
	v.typ = typ
	v.from = i + 1
	v.to = next - 1
	var ok bool
	v.text, ok = s.text(raw)
	v.bad = v.bad || !ok
	return next
}

// text returns the text of raw, valid until the next item. ok is false for invalid UTF-8.
func (s *Scanner) text(raw jsonscan.Raw) (_ []byte, ok bool) {
	if raw.Plain {
		return raw.Bytes, true
	}
	from := len(s.scratch)
	s.scratch, ok = jsonscan.Unescape(s.scratch, raw.Bytes)
	return s.scratch[from:], ok
}
