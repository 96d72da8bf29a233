package item

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// knownAttribute reads the attribute at b[i:] where its lead is known and its value is
// as most are; where it answers Broken, nothing of it was taken.
func (s *Scanner) knownAttribute(b []byte, i int, f *found, leads *jsonscan.Leads[attribute]) (next int) {
	a, at := leads.Find(b, i)
	if a == nil || f.met&(1<<a.role) != 0 {
		return jsonscan.Broken
	}
	n := len(f.fields)
	if next = s.knownValue(a, b, at, f); next != jsonscan.Broken {
		if a.typ != Bool && a.typ != Null {
			next++ // the closing quote
		}
		if next = jsonscan.Space(b, next); jsonscan.Is(b, next, '}') {
			if a.role > theIgnored {
				f.met |= 1 << a.role
			}
			return next + 1
		}
	}
	f.fields, f.same = f.fields[:n], f.same&^(1<<a.role)
	return jsonscan.Broken
}

// knownValue reads a value and answers its closing quote, or the place after it where
// it has none. What has a form of its own is read by it, without looking for its end
// first.
func (s *Scanner) knownValue(a *attribute, b []byte, i int, f *found) (next int) {
	switch a.role {
	case theField:
		if n := len(f.fields); n < cap(f.fields) {
			f.fields = f.fields[:n+1]
			return s.knownField(a, b, i, &f.fields[n])
		}
		return jsonscan.Broken
	case theIgnored:
		return skipKnown(a, b, i)
	case theLate:
		f.late = jsonscan.Is(b, i, 't')
		return boolEnd(b, i)
	case thePK:
		f.pk, next = s.keyText(f, thePK, s.key.PK, b, i)
	case theSK:
		f.sk, next = s.keyText(f, theSK, s.key.SK, b, i)
	case theIndex:
		f.index, next = plainText(b, i)
	case theVersion:
		next = jsonscan.Lead(b, i, versionText)
	case theExpiry:
		f.expiresAt, next = jsonscan.Digits(b, i)
	case theArrival:
		next = f.arrival(&s.times, b, i)
	case theHash:
		next = f.hashOf(b, i)
	}
	if !jsonscan.Is(b, next, '"') || roleTypes[a.role] != a.typ {
		return jsonscan.Broken
	}
	return next
}

// roleTypes are the types that attributes of our own have.
var roleTypes = [...]Type{thePK: S, theSK: S, theIndex: S, theVersion: N, theExpiry: N, theArrival: S, theHash: B}

// versionText is what nearly every item has as its version.
var versionText = strconv.Itoa(Version)

func (s *Scanner) knownField(a *attribute, b []byte, i int, to *model.Attr) (next int) {
	to.Name = a.name
	to.Value.Text, to.Value.Bool = "", false
	switch a.typ {
	case N:
		to.Value.Kind = model.Number
		if next = model.ScanDecimal(b, i, &to.Value.Number); !jsonscan.Is(b, next, '"') {
			return jsonscan.Broken
		}
		return next
	case S:
		text, next := plainText(b, i)
		to.Value = model.TextValue(s.texts.Add(text))
		return next
	case Bool:
		to.Value = model.BoolValue(jsonscan.Is(b, i, 't'))
		return boolEnd(b, i)
	case Null:
		to.Value = model.Value{}
		return i
	}
	return jsonscan.Broken
}

func skipKnown(a *attribute, b []byte, i int) (next int) {
	switch a.typ {
	case Null:
		return i
	case Bool:
		return boolEnd(b, i)
	}
	_, next = plainText(b, i)
	return next
}

func boolEnd(b []byte, i int) (next int) {
	if !jsonscan.Is(b, i, 't') && !jsonscan.Is(b, i, 'f') {
		return jsonscan.Broken
	}
	return jsonscan.Skip(b, i)
}

// plainText reads text without escapes up to its closing quote.
func plainText(b []byte, i int) (text []byte, next int) {
	end, plain := jsonscan.String(b, i)
	if end == jsonscan.Broken || !plain {
		return nil, jsonscan.Broken
	}
	return b[i:end], end
}

// keyText is plainText of a part of the key, quicker where it is that of the last one.
func (s *Scanner) keyText(f *found, part role, last string, b []byte, i int) (text []byte, next int) {
	if next = jsonscan.Lead(b, i, last); s.plainKey && jsonscan.Is(b, next, '"') {
		f.same |= 1 << part
		return b[i:next], next
	}
	return plainText(b, i)
}

func (f *found) arrival(times *model.StoredTimes, b []byte, i int) (next int) {
	next = i + len(model.TimeLayout)
	if next > len(b) {
		return jsonscan.Broken
	}
	var err error
	if f.arrived, err = times.Parse(b[i:next]); err != nil {
		return jsonscan.Broken
	}
	return next
}

// hashOf reads 16 bytes in base64.
func (f *found) hashOf(b []byte, i int) (next int) {
	next = i + hashText
	if next > len(b) || !f.setHash(b[i:next]) {
		return jsonscan.Broken
	}
	return next
}
