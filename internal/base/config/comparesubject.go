package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func compareSubject(path string, before, after catalog.Kind) []Change {
	path = Join(path, "subject")
	a, b := before.Subject, after.Subject
	changes := differ(Join(path, "name"), a.Name, b.Name, "subject.name")
	changes = append(changes, differ(Join(path, "field"), a.Field, b.Field, "subject.field")...)
	return append(changes, typeRules.both(path, a, b)...)
}

// typeRules compare subject types, of those without kinds also whether they are declared.
var typeRules = memberRules[catalog.SubjectType]{
	list: "subjects",
	name: func(s catalog.SubjectType) string { return s.Name },
	show: func(catalog.SubjectType) string { return "declared" },
	both: func(path string, a, b catalog.SubjectType) []Change {
		changes := differ(Join(path, "path"), a.Path, b.Path, "subjects.path")
		return append(changes, compareProfile(Join(path, "profile"), promised(a), promised(b))...)
	},
}

// typesAlone returns the subject types without kinds.
func typesAlone(c *catalog.Catalog) []catalog.SubjectType {
	return slices.DeleteFunc(c.Subjects(), func(s catalog.SubjectType) bool {
		return len(c.SubjectKinds(s)) > 0
	})
}

// promised returns the profile declaration of a subject type, the default one if it has none.
func promised(s catalog.SubjectType) catalog.Profile {
	if s.Profile == nil {
		return catalog.Profile{Release: catalog.ReleaseFree}
	}
	return *s.Profile
}

func compareProfile(path string, a, b catalog.Profile) []Change {
	return slices.Concat(
		compareNamed(path, a.Declared, b.Declared, profileFieldRules),
		compareNamed(path, a.Indexes, b.Indexes, indexRules),
		compareNamed(path, a.Unique, b.Unique, uniqueRules),
		differ(Join(path, "release"), string(a.Release), string(b.Release), "profile.release"),
		differ(Join(path, "versions"), valueText(a.Versions), valueText(b.Versions), "profile.versions"),
		differ(Join(path, "deletedFor"), limitText(a.DeletedFor), limitText(b.DeletedFor), "profile.deletedFor"))
}

// limitText returns a limit of time, of which zero is none.
func limitText(d time.Duration) string { return keptText(cmp.Or(d, tier.Forever)) }

var profileFieldRules = memberRules[catalog.ProfileField]{
	list: "fields",
	name: func(f catalog.ProfileField) string { return f.Name },
	show: func(catalog.ProfileField) string { return "declared" },
	both: func(path string, a, b catalog.ProfileField) []Change {
		return slices.Concat(
			differ(Join(path, "values"), strings.Join(a.Values, ", "), strings.Join(b.Values, ", "), "fields.checked"),
			differ(Join(path, "required"), strconv.FormatBool(a.Required), strconv.FormatBool(b.Required),
				"fields.checked"),
			differ(Join(path, "immutable"), strconv.FormatBool(a.Immutable), strconv.FormatBool(b.Immutable),
				"fields.checked"),
			differ(Join(path, "default"), a.Default, b.Default, "fields.default"))
	},
}

var indexRules = memberRules[catalog.ProfileIndex]{
	list: "indexes",
	name: func(i catalog.ProfileIndex) string { return i.Field },
	show: func(catalog.ProfileIndex) string { return "declared" },
	both: func(path string, a, b catalog.ProfileIndex) []Change {
		changes := slices.Concat(
			differ(Join(path, "index"), a.Index, b.Index, "indexes.index"),
			differ(Join(path, "and"), strings.Join(a.And, ", "), strings.Join(b.And, ", "), "indexes.fields"),
			differ(Join(path, "sort"), sortText(a), sortText(b), "indexes.fields"))
		if !slices.Equal(a.And, b.And) || sortText(a) != sortText(b) {
			return changes // other partitions, so that shards do not matter
		}
		return append(changes,
			differ(Join(path, "shards"), fmt.Sprint(a.Shards), fmt.Sprint(b.Shards), "indexes.shards")...)
	},
}

// sortText returns the fields that sort an index, with the types of those that are no texts.
func sortText(x catalog.ProfileIndex) string {
	return strings.Join(lists.Map(x.Sort, func(name string) string {
		if t := x.SortType(name); t != catalog.TextOrder {
			return name + ": " + string(t)
		}
		return name
	}), ", ")
}

var uniqueRules = memberRules[catalog.Unique]{
	list: "unique",
	name: func(u catalog.Unique) string { return u.Name },
	show: func(u catalog.Unique) string { return "of " + strings.Join(u.Fields, ", ") },
	both: func(path string, a, b catalog.Unique) []Change {
		changes := differ(Join(path, "fields"), strings.Join(a.Fields, ", "), strings.Join(b.Fields, ", "),
			"unique.changed")
		changes = append(changes, differ(Join(path, "perOwner"), fmt.Sprint(a.PerOwner),
			fmt.Sprint(b.PerOwner), "unique.changed")...)
		return append(changes, differ(Join(path, "case"), string(a.Case), string(b.Case), "unique.changed")...)
	},
}
