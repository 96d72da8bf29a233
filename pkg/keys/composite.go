package keys

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
)

// Errors of the helpers that build keys of your own.
var (
	ErrNoParts   = errors.New("the key has no parts: pass at least one")
	ErrSeparator = errors.New(
		"a part contains the separator #, and would be parsed as two parts: escape it with Escape")
	ErrNoEntity = errors.New("the key needs a type and an id, such as USER#123")
)

// Composite joins the parts of a key of your own: SENSOR#123#2024-12-01-14. It returns ErrNoParts if there
// are no parts, and ErrSeparator if a part contains the separator. A part may be empty.
//
// The keys of events and rollups are built differently: every part is escaped, because
// devices send arbitrary text and the order must be kept. Keys of your own are usually
// read by people, and the table may belong to another program. Composite therefore never
// changes a part silently; call Escape for a part that may contain the separator.
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

// ParseComposite is the inverse of Composite. It keeps empty parts: USER##123 has three.
func ParseComposite(key string) []string { return strings.Split(key, string(separator)) }

// Escape returns part in the form that the table's own keys use: it contains no
// separator, and escaped parts have the same byte order as the parts themselves.
func Escape(part string) string { return keyparts.Join(part) }

// Unescape is the inverse of Escape. It returns an error for text that Escape never returns.
func Unescape(part string) (string, error) {
	out, err := keyparts.Unescape(part)
	if err != nil {
		return "", fmt.Errorf("unescape %.80q: %w", part, err)
	}
	return out, nil
}

// Entity returns the key of an entity: USER#123. The id may contain separators, the type
// may not. It returns ErrNoEntity if one of the two is empty.
func Entity(entityType, id string) (string, error) {
	switch {
	case entityType == "" || id == "":
		return "", fmt.Errorf("type %.80q, id %.80q: %w", entityType, id, ErrNoEntity)
	case strings.IndexByte(entityType, separator) >= 0:
		return "", fmt.Errorf("type %.80q: %w", entityType, ErrSeparator)
	}
	return entityType + string(separator) + id, nil
}

// ParseEntity is the inverse of Entity: the id is everything after the first separator.
func ParseEntity(key string) (entityType, id string, err error) {
	entityType, id, _ = strings.Cut(key, string(separator))
	if entityType == "" || id == "" {
		return "", "", fmt.Errorf("parse %.80q: %w", key, ErrNoEntity)
	}
	return entityType, id, nil
}

// Hierarchy returns the key of a node of a hierarchy, top level first: EUROPE#DE#BERLIN. It is Composite
// without empty levels, so that HierarchyPrefix matches exactly the nodes below a level.
func Hierarchy(levels ...string) (string, error) {
	if slices.Contains(levels, "") {
		return "", fmt.Errorf("%q: a level is empty: %w", levels, ErrNoParts)
	}
	return Composite(levels...)
}

// HierarchyPrefix returns the prefix (for begins_with) of all nodes below a level, and of
// no others: EUROPE#DE# matches Berlin, and no node below EUROPE#DEN.
func HierarchyPrefix(levels ...string) (prefix string, err error) {
	level, err := Hierarchy(levels...)
	if err != nil {
		return "", err
	}
	return level + string(separator), nil
}

// Edge returns the key of a relation, stored in the partition of its start. Reverse
// returns the key of the same relation in the partition of its end. Store both, or add an
// index, to follow the relation in both directions.
func Edge(from, to string) (Key, error) {
	k := Key{PK: from, SK: to}
	if err := k.Check(); err != nil {
		return Key{}, fmt.Errorf("edge from %.80q to %.80q: %w", from, to, err)
	}
	return k, nil
}

// Reverse returns the edge in the opposite direction.
func (k Key) Reverse() Key { return Key{PK: k.SK, SK: k.PK} }

// Sparse returns the value of an index key that only some items have. ok is false if the item does not belong
// in the index, or if the value is empty, which no index accepts: then leave the attribute out of the item.
func Sparse(belongs bool, value string) (_ string, ok bool) {
	if !belongs || value == "" {
		return "", false
	}
	return value, true
}

// NextVersion returns the version of an item's next change. current is the version of its last change, or 0
// if the item does not exist yet. Write the item on the condition that its stored version is still current.
func NextVersion(current int64) int64 { return current + 1 }
