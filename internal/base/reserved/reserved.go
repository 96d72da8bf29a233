// Package reserved lists the names that the table uses itself, so that a configuration is refused before it
// takes one: as the type of a subject, or as the field of a profile.
package reserved

import (
	"strings"

	"github.com/tidemark-db/tidemark/pkg/keys"
)

// The classes of the table's own items whose partition keys begin with them.
const (
	PurgeLock      = "GATE"
	Quarantine     = "QUARANTINE"
	IndexEntry     = "BY"
	RotatingSecret = "SALT"
	Unique         = "UNIQUE"
	Rule           = "RULE"
	Job            = "JOB"
	Invalidation   = "INVALIDATION"
	Series         = "SERIES"
	Share          = "SHARE"
)

// GroupPrefix begins the types of the subjects that are groups.
const GroupPrefix = "BY_"

// OtherGroup is the id of the group of events that are in no group of their own, because their bucket has
// MaxGroups others, or because its id would be longer than 256 bytes.
const OtherGroup = "*"

// MaxGroups is in how many groups of a level the events of a member may count in one bucket.
const MaxGroups = 16

// Group reports whether a subject type is of groups.
func Group(name string) bool { return strings.HasPrefix(name, GroupPrefix) }

// Attributes of profiles, beside the attributes that package keys names.
const (
	UpdatedAt = "updatedAt"
	DeletedAt = "deletedAt"
)

var types = map[string]bool{
	PurgeLock: true, Quarantine: true, IndexEntry: true, RotatingSecret: true, Unique: true, Rule: true,
	Job: true, Invalidation: true, Series: true, Share: true,
}

// Type reports whether a name cannot be a subject type, because partitions of the table's own items begin
// with it.
func Type(name string) bool { return types[name] }

// Renamed returns the name under which a field is stored whose name the table uses itself: without the
// underscores that begin it, and with one behind it. Any other name is returned as it is.
func Renamed(name string) string {
	if !keys.Reserved(name) || strings.Trim(name, "_") == "" {
		return name
	}
	return strings.TrimLeft(name, "_") + "_"
}

// InProfile reports whether no field of a profile may have a name: the names that keys.Reserved reserves, and
// those reserved in profiles only.
func InProfile(name string) bool {
	return keys.Reserved(name) || name == UpdatedAt || name == DeletedAt
}
