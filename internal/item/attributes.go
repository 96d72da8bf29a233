package item

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// role is what an attribute is to an event, by its name. roles is a set of them.
type (
	role  uint8
	roles uint16
)

const (
	theField   role = iota
	theIgnored      // ours, and of no meaning to an event
	thePK
	theSK
	theVersion
	theExpiry
	theHash
	theArrival
	theLate
	theIndex
)

// ofEveryEvent is what every event has beside its key.
const ofEveryEvent = 1<<theVersion | 1<<theHash | 1<<theArrival

var roleOf = map[string]role{
	keys.AttrPK: thePK, keys.AttrSK: theSK, keys.AttrVersion: theVersion,
	keys.AttrExpiresAt: theExpiry, keys.AttrHash: theHash, keys.AttrArrived: theArrival,
	keys.AttrGSI2PK: theIndex, keys.AttrLate: theLate,
}

// attribute is what a name and the type of its value say.
type attribute struct {
	name string
	role role
	typ  Type
}

// found is what one item holds; its bytes are good until the next item is read.
type found struct {
	pk, sk, index []byte
	expiresAt     int64
	hash          model.Hash
	arrived       model.Time
	late          bool
	fields        []model.Attr
	met           roles // which attributes of our own were there
	same          roles // which parts of the key are known to be those of the last one
	damaged       bool  // one of them, or a field, cannot be read
	twice         bool  // one of them, or a field, has two values
}

// item reads the item at b[i:], by its shape where that is known.
func (s *Scanner) item(b []byte, i int, f *found, known *known) (next int, err error) {
	if s.scratch = s.scratch[:0]; !jsonscan.Is(b, i, '{') {
		return jsonscan.Skip(b, i), ErrForm
	}
	if next = s.follow(b, i, f, &known.shapes); next != jsonscan.Broken {
		return next, nil
	}
	if next, err = s.attributes(b, i+1, f, &known.leads); err == nil {
		s.passedOne(b, i, next, f, &known.shapes)
	}
	return next, err
}

// attributes reads the attributes of an item from i on, each by its lead where that is
// known and the value is as most are.
func (s *Scanner) attributes(b []byte, i int, f *found, leads *jsonscan.Leads[attribute]) (next int, err error) {
	*f = found{fields: s.room()}
	for first := true; ; first = false {
		at, more := i+1, !first && jsonscan.Follows(b, i)
		if !more {
			at, more = jsonscan.Sibling(b, i, first, '}')
		}
		if !more {
			if at == jsonscan.Broken || !f.sort() || f.twice {
				err = ErrForm
			}
			return at, err
		}
		if i = s.knownAttribute(b, at, f, leads); i == jsonscan.Broken {
			var ok bool
			if i, ok = s.attribute(b, at, f, leads); i == jsonscan.Broken {
				return i, ErrForm
			} else if !ok {
				err = ErrForm
			}
		}
	}
}

// attribute reads any attribute, and learns its lead. It is false for what has not
// the form of one.
func (s *Scanner) attribute(b []byte, i int, f *found, leads *jsonscan.Leads[attribute]) (next int, ok bool) {
	raw, at := jsonscan.Name(b, i)
	if at == jsonscan.Broken {
		return at, false
	}
	name, ok := s.text(raw)
	v, next := s.value(b, at)
	if next == jsonscan.Broken || !ok || v.bad {
		return next, false
	}
	a := s.named(name)
	a.typ = v.typ
	f.take(s, a, &v)
	if v.typ != Other && !f.damaged {
		leads.Learn(b, i, v.from, a)
	}
	return next, true
}

// named is the attribute of a name.
func (s *Scanner) named(name []byte) attribute {
	text := s.texts.Add(name)
	r, ours := roleOf[text]
	if !ours && keys.Reserved(text) {
		r = theIgnored
	}
	return attribute{name: text, role: r}
}

// take puts a value where its name says.
func (f *found) take(s *Scanner, a attribute, v *value) {
	switch a.role {
	case theIgnored:
	case theField:
		f.fields = append(f.fields, model.Attr{})
		if !s.field(&f.fields[len(f.fields)-1], a.name, v) {
			f.damaged = true
		}
	default:
		f.twice = f.twice || f.met&(1<<a.role) != 0
		f.met |= 1 << a.role
		if !f.own(s, a.role, v) {
			f.damaged = true
		}
	}
}

// field is a field of an event, false for what no field is.
func (s *Scanner) field(a *model.Attr, name string, v *value) bool {
	*a = model.Attr{Name: name}
	switch v.typ {
	case N:
		d, err := model.ParseDecimalBytes(v.text)
		a.Value = model.NumberValue(d)
		return err == nil
	case S:
		a.Value = model.TextValue(s.texts.Add(v.text))
	case Bool:
		a.Value = model.BoolValue(v.bool)
	}
	return v.typ != B && v.typ != Other
}

// own reads an attribute of our own, false where it is not what its name promises.
func (f *found) own(s *Scanner, r role, v *value) (ok bool) {
	var err error
	switch r {
	case thePK: // what is no string is no key
		f.pk = ofType(v, S)
	case theSK:
		f.sk = ofType(v, S)
	case theIndex:
		f.index = ofType(v, S)
	case theVersion:
		n, err := strconv.ParseInt(string(ofType(v, N)), 10, 64)
		return err == nil && n >= 1 && n <= Version
	case theExpiry:
		if f.expiresAt, err = strconv.ParseInt(string(ofType(v, N)), 10, 64); err != nil {
			f.expiresAt = 0
		}
	case theArrival:
		f.arrived, err = s.times.Parse(ofType(v, S))
	case theHash:
		return f.setHash(ofType(v, B))
	case theLate:
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

// sort puts the fields in order, false where a name came twice. Few, they are put in
// their places one by one, which beats a general sort.
func (f *found) sort() bool {
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
			late := f.fields[i]
			copy(f.fields[j+1:i+1], f.fields[j:i])
			f.fields[j] = late
		}
	}
	return true
}
