package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

func compareSubject(path string, before, after catalog.Kind) []Change {
	path = join(path, "subject")
	a, b := before.Subject, after.Subject
	changes := differ(join(path, "name"), a.Name, b.Name, ruling{Refused, "it is part of every key of the kind, and stored items would not be found: declare a new kind"})
	changes = append(changes, differ(join(path, "field"), a.Field, b.Field, ruling{Safe, "observations must have the subject's id in the new field"})...)
	return append(changes, typeRules.both(path, a, b)...)
}

// typeRules compare subject types, of those without kinds also whether they are declared.
var typeRules = memberRules[catalog.SubjectType]{
	name:    func(s catalog.SubjectType) string { return s.Name },
	show:    func(catalog.SubjectType) string { return "declared" },
	added:   ruling{Safe, "profiles of the new type have their own keys"},
	removed: ruling{Refused, "its profiles could no longer be read: purge its subjects first, or keep the type"},
	both: func(path string, a, b catalog.SubjectType) []Change {
		changes := differ(join(path, "path"), a.Path, b.Path, ruling{Safe, "the routes and topics of the subject type change: update callers and devices"})
		return append(changes, compareProfile(join(path, "profile"), promised(a), promised(b))...)
	},
}

// typesAlone returns the subject types without kinds.
func typesAlone(c *catalog.Catalog) []catalog.SubjectType {
	return slices.DeleteFunc(c.Subjects(), func(s catalog.SubjectType) bool { return len(c.KindsOf(s)) > 0 })
}

// promised returns the profile declaration of a subject type, the default one if it has none.
func promised(s catalog.SubjectType) catalog.Profile {
	if s.Profile == nil {
		return catalog.Profile{Release: catalog.ReleaseFree}
	}
	return *s.Profile
}

func compareProfile(path string, a, b catalog.Profile) []Change {
	changes := compareNamed(join(path, "fields"), a.Declared, b.Declared, profileFieldRules)
	changes = append(changes, compareNamed(join(path, "indexes"), a.Indexes, b.Indexes, indexRules)...)
	changes = append(changes, compareNamed(join(path, "unique"), a.Unique, b.Unique, uniqueRules)...)
	changes = append(changes, differ(join(path, "release"), string(a.Release), string(b.Release), ruling{Safe, "it applies to subjects that are deleted from now on"})...)
	changes = append(changes, differ(join(path, "versions"), settingOf(a.Versions), settingOf(b.Versions), ruling{Safe, "it applies to profiles that are written from now on"})...)
	return append(changes, differ(join(path, "deletedFor"), keptText(a.DeletedFor), keptText(b.DeletedFor), ruling{Safe, "it applies to subjects that are deleted from now on"})...)
}

var profileFieldRules = memberRules[catalog.ProfileField]{
	name:    func(f catalog.ProfileField) string { return f.Name },
	show:    func(catalog.ProfileField) string { return "declared" },
	added:   ruling{Safe, "it is checked when a profile is written next"},
	removed: ruling{Safe, "the field may have any value from now on"},
	both: func(path string, a, b catalog.ProfileField) []Change {
		changes := differ(join(path, "values"), strings.Join(a.Values, ", "), strings.Join(b.Values, ", "), ruling{Safe, "it is checked when a profile is written next"})
		changes = append(changes, differ(join(path, "required"), strconv.FormatBool(a.Required), strconv.FormatBool(b.Required), ruling{Safe, "it is checked when a profile is written next"})...)
		return append(changes, differ(join(path, "default"), a.Default, b.Default, ruling{Safe, "it applies to profiles that are created from now on"})...)
	},
}

var indexRules = memberRules[catalog.ProfileIndex]{
	name:    func(i catalog.ProfileIndex) string { return i.Field },
	show:    func(catalog.ProfileIndex) string { return "declared" },
	added:   ruling{Safe, "a profile enters the index when it is written next"},
	removed: ruling{Safe, "profiles keep the unused keys of the index until they are written again"},
	both: func(path string, a, b catalog.ProfileIndex) []Change {
		changes := differ(join(path, "index"), a.Index, b.Index, ruling{Safe, "a profile enters the new index when it is written next"})
		return append(changes, differ(join(path, "shards"), fmt.Sprint(a.Shards), fmt.Sprint(b.Shards),
			ruling{Refused, "stored profiles would be searched in other partitions: the number of shards of an index cannot change"})...)
	},
}

var uniqueRules = memberRules[catalog.Unique]{
	name:    func(u catalog.Unique) string { return u.Name },
	show:    func(u catalog.Unique) string { return "of " + strings.Join(u.Fields, ", ") },
	added:   ruling{Safe, "it is checked when a profile is written next: existing duplicates stay until then"},
	removed: ruling{Safe, "values need no longer be unique; the items that reserved them stay and are unused"},
	both: func(path string, a, b catalog.Unique) []Change {
		const other = "the items that reserve the values in use would no longer be found, and two subjects could have the same value: declare a constraint with another name"
		changes := differ(join(path, "fields"), strings.Join(a.Fields, ", "), strings.Join(b.Fields, ", "), ruling{Refused, other})
		return append(changes, differ(join(path, "case"), string(a.Case), string(b.Case), ruling{Refused, other})...)
	},
}
