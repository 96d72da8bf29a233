package item

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// role is the meaning of an attribute of an event. roleSet is a set of roles.
type (
	role    uint8
	roleSet uint16
)

const (
	roleField   role = iota
	roleIgnored      // one of our attributes that an event does not have
	rolePK
	roleSK
	roleVersion
	roleExpiry
	roleHash
	roleArrival
	roleLate
	roleIndex
	roleCorrected
)

// eventRoles are the attributes that every event has in addition to its key.
const eventRoles = 1<<roleVersion | 1<<roleHash | 1<<roleArrival

var roleOf = map[string]role{
	keys.AttrPK: rolePK, keys.AttrSK: roleSK, keys.AttrVersion: roleVersion,
	keys.AttrExpiresAt: roleExpiry, tablekeys.AttrHash: roleHash, tablekeys.AttrArrivedAt: roleArrival,
	keys.AttrGSI2PK: roleIndex, tablekeys.AttrLate: roleLate, tablekeys.AttrCorrected: roleCorrected,
}

// attribute is the name of an attribute, its role, and the type of its value.
type attribute struct {
	name string
	role role
	typ  Type
}

// rawItem is the content of one item. Its bytes are valid until the next item is scanned.
type rawItem struct {
	pk, sk, index []byte
	expiresAt     int64
	hash          model.Hash
	arrived       model.Time
	corrected     model.Time
	late          bool
	fields        []model.Attr
	roles         roleSet // our own attributes that are present
	sameAsLast    roleSet // parts of the key that are equal to the last key's
	damaged       bool    // one of our attributes, or a field, cannot be decoded
	duplicate     bool    // one of our attributes, or a field, appears twice
}

// item scans the item at b[i:]. It uses a known shape if one matches.
func (s *Scanner) item(b []byte, i int, f *rawItem, cache *itemCache) (next int, err error) {
	if s.scratch = s.scratch[:0]; !jsonscan.Is(b, i, '{') {
		return jsonscan.Skip(b, i), ErrForm
	}
	if next = s.matchShape(b, i, f, &cache.shapes); next != jsonscan.Invalid {
		return next, nil
	}
	if next, err = s.attributes(b, i+1, f, &cache.members); err == nil {
		s.learnShape(b, i, next, f, &cache.shapes)
	}
	return next, err
}

// attributes scans the attributes of an item from i on, each on the fast path if its beginning
// is cached and its value has the common form.
func (s *Scanner) attributes(b []byte, i int, f *rawItem,
	members *jsonscan.MemberCache[attribute]) (next int, err error) {
	*f = rawItem{fields: s.fieldBuffer()}
	for first := true; ; first = false {
		at, more := i+1, !first && jsonscan.NextMember(b, i)
		if !more {
			at, more = jsonscan.Sibling(b, i, first, '}')
		}
		if !more {
			if at == jsonscan.Invalid || !f.sort() || f.duplicate {
				err = ErrForm
			}
			return at, err
		}
		if i = s.knownAttribute(b, at, f, members); i == jsonscan.Invalid {
			var ok bool
			if i, ok = s.attribute(b, at, f, members); i == jsonscan.Invalid {
				return i, ErrForm
			} else if !ok {
				err = ErrForm
			}
		}
	}
}

// attribute scans any attribute, and caches its beginning. ok is false if it does not have the
// form of an attribute.
func (s *Scanner) attribute(b []byte, i int, f *rawItem,
	members *jsonscan.MemberCache[attribute]) (next int, ok bool) {
	raw, at := jsonscan.Name(b, i)
	if at == jsonscan.Invalid {
		return at, false
	}
	name, ok := s.text(raw)
	v, next := s.value(b, at)
	if next == jsonscan.Invalid || !ok || v.bad {
		return next, false
	}
	a := s.named(name)
	a.typ = v.typ
	f.set(s, a, &v)
	if v.typ != Other && !f.damaged {
		members.Learn(b, i, v.from, a)
	}
	return next, true
}

// named returns the attribute of a name, without its type.
func (s *Scanner) named(name []byte) attribute {
	text := s.texts.Add(name)
	r, ours := roleOf[text]
	if !ours && keys.Reserved(text) {
		r = roleIgnored
	}
	return attribute{name: text, role: r}
}

// set stores the value of an attribute.
func (f *rawItem) set(s *Scanner, a attribute, v *value) {
	switch a.role {
	case roleIgnored:
	case roleField:
		f.fields = append(f.fields, model.Attr{})
		if !s.field(&f.fields[len(f.fields)-1], a.name, v) {
			f.damaged = true
		}
	default:
		f.duplicate = f.duplicate || f.roles&(1<<a.role) != 0
		f.roles |= 1 << a.role
		if !f.setOwn(s, a.role, v) {
			f.damaged = true
		}
	}
}

// field sets a to a field of an event. It returns false for a value that is not valid.
func (s *Scanner) field(a *model.Attr, name string, v *value) bool {
	*a = model.Attr{Name: name}
	switch v.typ {
	case N:
		var d model.Decimal
		var err error
		if model.ScanDecimal(v.text, 0, &d) != len(v.text) {
			d, err = model.ParseDecimal(string(v.text))
		}
		a.Value = model.NumberValue(d)
		return err == nil
	case S:
		a.Value = model.TextValue(s.texts.Add(v.text))
	case Bool:
		a.Value = model.BoolValue(v.bool)
	}
	return v.typ != B && v.typ != Other
}

// setOwn stores the value of one of our attributes. ok is false if the value is not valid.
func (f *rawItem) setOwn(s *Scanner, r role, v *value) (ok bool) {
	var err error
	switch r {
	case rolePK: // empty if it is not a string
		f.pk = ofType(v, S)
	case roleSK:
		f.sk = ofType(v, S)
	case roleIndex:
		f.index = ofType(v, S)
	case roleVersion:
		n, err := strconv.ParseInt(string(ofType(v, N)), 10, 64)
		return err == nil && n >= 1 && n <= Version
	case roleExpiry:
		if f.expiresAt, err = strconv.ParseInt(string(ofType(v, N)), 10, 64); err != nil {
			f.expiresAt = 0
		}
	case roleArrival:
		f.arrived, err = s.times.Parse(ofType(v, S))
	case roleCorrected:
		f.corrected, err = s.times.Parse(ofType(v, S))
	case roleHash:
		return f.setHash(ofType(v, B))
	case roleLate:
		f.late = v.bool
		return v.typ == Bool
	}
	return err == nil
}

func ofType(v *value, want Type) []byte {
	if v.typ != want {
		return nil
	}
	return v.text
}

// sort sorts the fields by name. It returns false for a duplicate name. Up to 16 fields are
// sorted by insertion, which is faster than a general sort.
func (f *rawItem) sort() bool {
	const few = 16
	if len(f.fields) > few {
		model.Attrs(f.fields).Sort()
	}
	for i := 1; i < len(f.fields); i++ {
		j := i
		for j > 0 && f.fields[i].Name < f.fields[j-1].Name {
			j--
		}
		if j > 0 && f.fields[i].Name == f.fields[j-1].Name {
			return false
		}
		if j < i {
			moved := f.fields[i]
			copy(f.fields[j+1:i+1], f.fields[j:i])
			f.fields[j] = moved
		}
	}
	return true
}
