package item

import (
	"github.com/tidemark-db/tidemark/internal/jsonscan"
)

// value is an attribute value as it stands: text is what S, N and B have between their
// quotes, escapes resolved; from and to are where that, or a BOOL's literal, stands.
type value struct {
	typ  Type
	text []byte
	bool bool
	from int
	to   int
	bad  bool // the form is not that of its type
}

// value reads an object of one member, named by its type. Null, no member, several,
// and types that we never write are Other.
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
		if at == jsonscan.Broken {
			return v, at
		}
		typ, _ := s.text(name) // what is no UTF-8 is the name of no type
		if i = s.typed(b, at, typ, &v); i == jsonscan.Broken {
			return v, i
		}
	}
}

// typed reads the member of a value that its type names.
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
	if next == jsonscan.Broken || jsonscan.Null(b, i) {
		return next
	}
	switch string(typ) {
	case "BOOL":
		v.typ, v.bool, v.from, v.to = Bool, b[i] == 't', i, next
	case "NULL":
		v.typ, v.from, v.to = Null, next, next
	default:
		return next
	}
	v.bad = v.bad || b[i] != 't' && b[i] != 'f'
	return next
}

// quoted reads what S, N and B have.
func (s *Scanner) quoted(b []byte, i int, typ Type, v *value) (next int) {
	raw, next := jsonscan.Text(b, i)
	if raw.Bytes == nil {
		v.bad = v.bad || !jsonscan.Null(b, i)
		return jsonscan.Skip(b, i)
	}
	v.typ, v.from, v.to = typ, i+1, next-1
	var ok bool
	v.text, ok = s.text(raw)
	v.bad = v.bad || !ok
	return next
}

// text is what raw says, good until the next item. It is false for what is no UTF-8.
func (s *Scanner) text(raw jsonscan.Raw) ([]byte, bool) {
	if raw.Plain {
		return raw.Bytes, true
	}
	from := len(s.scratch)
	var ok bool
	s.scratch, ok = jsonscan.Unescape(s.scratch, raw.Bytes)
	return s.scratch[from:], ok
}
