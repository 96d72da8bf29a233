package item

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// knownAttribute scans the attribute at b[i:] if its beginning is cached and its value has the
// common form. If it returns Invalid, it has not changed f.
func (s *Scanner) knownAttribute(b []byte, i int, f *rawItem,
	members *jsonscan.MemberCache[attribute]) (next int) {
	a, at := members.Find(b, i)
	if a == nil || f.roles&(1<<a.role) != 0 {
		return jsonscan.Invalid
	}
	n := len(f.fields)
	if next = s.knownValue(a, b, at, f); next != jsonscan.Invalid {
		if a.typ != Bool && a.typ != Null {
			next++ // the closing quote
		}
		if next = jsonscan.Space(b, next); jsonscan.Is(b, next, '}') {
			if a.role > roleIgnored {
				f.roles |= 1 << a.role
			}
			return next + 1
		}
	}
	f.fields, f.sameAsLast = f.fields[:n], f.sameAsLast&^(1<<a.role)
	return jsonscan.Invalid
}

// knownValue scans a value and returns the index of its closing quote, or after the value if it
// has none. Values with a fixed form are decoded without searching for their end.
func (s *Scanner) knownValue(a *attribute, b []byte, i int, f *rawItem) (next int) {
	switch a.role {
	case roleField:
		if n := len(f.fields); n < cap(f.fields) {
			f.fields = f.fields[:n+1]
			return s.knownField(a, b, i, &f.fields[n])
		}
		return jsonscan.Invalid
	case roleIgnored:
		return skipKnown(a, b, i)
	case roleLate:
		f.late = jsonscan.Is(b, i, 't')
		return boolEnd(b, i)
	case rolePK:
		f.pk, next = s.keyText(f, rolePK, s.key.PK, b, i)
	case roleSK:
		f.sk, next = s.keyText(f, roleSK, s.key.SK, b, i)
	case roleIndex:
		f.index, next = plainText(b, i)
	case roleVersion:
		next = jsonscan.Match(b, i, versionText)
	case roleExpiry:
		f.expiresAt, next = jsonscan.Digits(b, i)
	case roleArrival:
		next = scanTime(&f.arrived, &s.times, b, i)
	case roleCorrected:
		next = scanTime(&f.corrected, &s.times, b, i)
	case roleHash:
		next = f.scanHash(b, i)
	}
	if !jsonscan.Is(b, next, '"') || roleTypes[a.role] != a.typ {
		return jsonscan.Invalid
	}
	return next
}

// roleTypes are the types of our own attributes.
var roleTypes = [...]Type{rolePK: S, roleSK: S, roleIndex: S, roleVersion: N, roleExpiry: N, roleArrival: S,
	roleHash: B, roleCorrected: S}

// versionText is the version of nearly all items.
var versionText = strconv.Itoa(Version)

func (s *Scanner) knownField(a *attribute, b []byte, i int, to *model.Attr) (next int) {
	to.Name = a.name
	to.Value.Text, to.Value.Bool = "", false
	switch a.typ {
	case N:
		to.Value.Kind = model.Number
		if next = model.ScanDecimal(b, i, &to.Value.Number); !jsonscan.Is(b, next, '"') {
			return jsonscan.Invalid
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
	return jsonscan.Invalid
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
		return jsonscan.Invalid
	}
	return jsonscan.Skip(b, i)
}

// plainText scans text without escapes. next is the index of the closing quote.
func plainText(b []byte, i int) (text []byte, next int) {
	end, plain := jsonscan.String(b, i)
	if end == jsonscan.Invalid || !plain {
		return nil, jsonscan.Invalid
	}
	return b[i:end], end
}

// keyText is plainText for a part of the key. It is faster if the part equals the last key's.
func (s *Scanner) keyText(f *rawItem, part role, last string, b []byte, i int) (text []byte, next int) {
	if next = jsonscan.Match(b, i, last); s.plainKey && jsonscan.Is(b, next, '"') {
		f.sameAsLast |= 1 << part
		return b[i:next], next
	}
	return plainText(b, i)
}

func scanTime(to *model.Time, times *storedtime.Parser, b []byte, i int) (next int) {
	next = i + len(model.TimeLayout)
	if next > len(b) {
		return jsonscan.Invalid
	}
	var err error
	if *to, err = times.Parse(b[i:next]); err != nil {
		return jsonscan.Invalid
	}
	return next
}

// scanHash decodes 16 bytes in base64.
func (f *rawItem) scanHash(b []byte, i int) (next int) {
	next = i + hashText
	if next > len(b) || !f.setHash(b[i:next]) {
		return jsonscan.Invalid
	}
	return next
}
