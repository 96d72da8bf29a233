package config

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

func compareSubject(path string, before, after catalog.Kind) []Change {
	path = join(path, "subject")
	a, b := before.Subject, after.Subject
	changes := differ(join(path, "name"), a.Name, b.Name, ruling{Refused, "it begins every key of the kind, and nothing that is stored would be found: declare a new kind"})
	changes = append(changes, differ(join(path, "path"), a.Path, b.Path, ruling{Safe, "the routes and topics of the subject type change: callers and devices must follow"})...)
	changes = append(changes, differ(join(path, "field"), a.Field, b.Field, ruling{Safe, "observations must name their subject by the new field"})...)
	return append(changes, compareProfile(join(path, "profile"), promised(a), promised(b))...)
}

// promised is what the profiles of a subject type promise, declared or not.
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
	changes = append(changes, differ(join(path, "release"), string(a.Release), string(b.Release), ruling{Safe, "it holds for subjects deleted from now on"})...)
	changes = append(changes, differ(join(path, "versions"), settingOf(a.Versions), settingOf(b.Versions), ruling{Safe, "it holds for profiles written from now on"})...)
	return append(changes, differ(join(path, "deletedFor"), keptText(a.DeletedFor), keptText(b.DeletedFor), ruling{Safe, "it holds for subjects deleted from now on"})...)
}

var profileFieldRules = memberRules[catalog.ProfileField]{
	name:    func(f catalog.ProfileField) string { return f.Name },
	show:    func(catalog.ProfileField) string { return "declared" },
	added:   ruling{Safe, "profiles are held to it when they are written next"},
	removed: ruling{Safe, "the field may have any value from now on"},
	both: func(path string, a, b catalog.ProfileField) []Change {
		changes := differ(join(path, "values"), strings.Join(a.Values, ", "), strings.Join(b.Values, ", "), ruling{Safe, "profiles are held to it when they are written next"})
		return append(changes, differ(join(path, "default"), a.Default, b.Default, ruling{Safe, "it holds for profiles created from now on"})...)
	},
}

var indexRules = memberRules[catalog.ProfileIndex]{
	name:    func(i catalog.ProfileIndex) string { return i.Field },
	show:    func(catalog.ProfileIndex) string { return "declared" },
	added:   ruling{Safe, "profiles are found by it once they are written again"},
	removed: ruling{Safe, "profiles keep its keys until they are written again, and nobody asks for them"},
	both: func(path string, a, b catalog.ProfileIndex) []Change {
		changes := differ(join(path, "index"), a.Index, b.Index, ruling{Safe, "profiles are found by the new index once they are written again"})
		return append(changes, differ(join(path, "shards"), fmt.Sprint(a.Shards), fmt.Sprint(b.Shards),
			ruling{Refused, "profiles that are stored would be looked for in other partitions: the number is fixed for the index's life"})...)
	},
}

var uniqueRules = memberRules[catalog.Unique]{
	name:    func(u catalog.Unique) string { return u.Name },
	show:    func(u catalog.Unique) string { return "of " + strings.Join(u.Fields, ", ") },
	added:   ruling{Safe, "profiles are held to it when they are written next: two that are alike already stay so till then"},
	removed: ruling{Safe, "values are free from now on; what stood for them stays, and nobody asks for it"},
	both: func(path string, a, b catalog.Unique) []Change {
		const other = "what stands for the values in use would no longer be found, and two subjects could have one: declare a constraint of another name"
		changes := differ(join(path, "fields"), strings.Join(a.Fields, ", "), strings.Join(b.Fields, ", "), ruling{Refused, other})
		return append(changes, differ(join(path, "case"), string(a.Case), string(b.Case), ruling{Refused, other})...)
	},
}
