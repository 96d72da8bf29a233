package keys

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Errors of the helpers for keys of one's own.
var (
	ErrNoParts   = errors.New("a key of no parts is no key")
	ErrSeparator = errors.New("a part holds the separator #, and would read back as two: escape it with Escape")
	ErrNoEntity  = errors.New("want a type and an id, as USER#123")
)

// Composite joins the parts of a key of one's own: SENSOR#123#2024-12-01-14. The error
// is ErrNoParts without any, and ErrSeparator where a part holds the separator. A part
// may be empty.
//
// The table's own keys are built otherwise: every part of them is escaped, for they
// take what devices send, and order must survive it. Keys of one's own are made to be
// read, and often stand in a table that others made, so nothing is changed silently:
// what would be ambiguous is refused, and Escape is there for who wants it.
func Composite(parts ...string) (string, error) {
	if len(parts) == 0 {
		return "", ErrNoParts
	}
	for _, p := range parts {
		if strings.IndexByte(p, separator) >= 0 {
			return "", fmt.Errorf("%.80q: %w", p, ErrSeparator)
		}
	}
	return strings.Join(parts, string(separator)), nil
}

// ParseComposite is the way back from Composite. Empty parts stay: USER##123 has three.
func ParseComposite(key string) []string { return strings.Split(key, string(separator)) }

// Escape is part as the table's own keys write it: no separator in it, and in the same
// byte order to other escaped parts as before. Unescape is the way back.
func Escape(part string) string { return join(part) }

// Unescape is the way back from Escape. It refuses what Escape never makes.
func Unescape(part string) (string, error) {
	out, err := unescape(part)
	if err != nil {
		return "", fmt.Errorf("unescape %.80q: %w", part, err)
	}
	return out, nil
}

// Entity is the key of a thing: USER#123. The id may hold separators, the type may not;
// neither may be empty.
func Entity(entityType, id string) (string, error) {
	switch {
	case entityType == "" || id == "":
		return "", fmt.Errorf("type %.80q, id %.80q: %w", entityType, id, ErrNoEntity)
	case strings.IndexByte(entityType, separator) >= 0:
		return "", fmt.Errorf("type %.80q: %w", entityType, ErrSeparator)
	}
	return entityType + string(separator) + id, nil
}

// ParseEntity is the way back from Entity: all behind the first separator is the id.
func ParseEntity(key string) (entityType, id string, err error) {
	entityType, id, _ = strings.Cut(key, string(separator))
	if entityType == "" || id == "" {
		return "", "", fmt.Errorf("parse %.80q: %w", key, ErrNoEntity)
	}
	return entityType, id, nil
}

// Hierarchy is the key of a place among levels, coarsest first: EUROPE#DE#BERLIN. It is
// a Composite without empty levels, so that Beneath finds exactly what lies below.
func Hierarchy(levels ...string) (string, error) {
	if slices.Contains(levels, "") {
		return "", fmt.Errorf("%q: a level is empty: %w", levels, ErrNoParts)
	}
	return Composite(levels...)
}

// Beneath is the prefix (for begins_with) of all that lies below a level, and of
// nothing beside it: EUROPE#DE# finds Berlin, and not what is in EUROPE#DEN.
func Beneath(levels ...string) (prefix string, err error) {
	level, err := Hierarchy(levels...)
	if err != nil {
		return "", err
	}
	return level + string(separator), nil
}

// Edge is the key under which a relation stands in the partition of where it starts.
// Reverse is the same in the partition of where it ends: put both, or an index on it,
// to walk either way.
func Edge(from, to string) (Key, error) {
	k := Key{PK: from, SK: to}
	if err := k.Check(); err != nil {
		return Key{}, fmt.Errorf("edge from %.80q to %.80q: %w", from, to, err)
	}
	return k, nil
}

// Reverse is the edge the other way round.
func (k Key) Reverse() Key { return Key{PK: k.SK, SK: k.PK} }
