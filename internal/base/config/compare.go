package config

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Class is the consequence of a change of the configuration for stored data.
type Class string

// The classes of changes.
const (
	// Safe changes take effect with the deployment. Stored data stays correct.
	Safe Class = "safe"
	// NeedsRebuild changes do not update stored rollups. They stay as the earlier
	// configuration computed them until "tidemark rebuild" recomputes them.
	NeedsRebuild Class = "needs a rebuild"
	// Refused changes would lose stored data, or make stored rollups wrong.
	Refused Class = "refused"
)

// Change is one difference between two configurations.
type Change struct {
	Path    string // path of the value, as in a Mistake
	Was, Is string // as written in the file; "" if not set
	Class   Class
	Why     string // the consequence and, unless the change is safe, what to do
}

// String returns the change as one line.
func (c Change) String() string {
	was, is := cmp.Or(c.Was, "none"), cmp.Or(c.Is, "none")
	return fmt.Sprintf("%s: %s: %s to %s: %s", c.Class, c.Path, was, is, c.Why)
}

// Compare returns the changes from before to after: changes of kinds first, in order of
// declaration. Kinds are compared with all defaults applied, so writing out a default is no change.
// It returns an error if one of the configurations is not valid.
func Compare(before, after *Config) ([]Change, error) {
	old, err := before.Catalog()
	if err != nil {
		return nil, fmt.Errorf("the earlier configuration: %w", err)
	}
	now, err := after.Catalog()
	if err != nil {
		return nil, fmt.Errorf("the new configuration: %w", err)
	}
	changes := compareNamed("", old.Kinds, now.Kinds, declaredKinds)
	// those that have kinds now stay
	types := slices.DeleteFunc(typesAlone(old), func(s catalog.SubjectType) bool {
		return slices.ContainsFunc(now.Kinds, func(k catalog.Kind) bool { return k.Subject.Name == s.Name })
	})
	changes = append(changes, compareNamed("", types, typesAlone(now), typeRules)...)
	return append(changes, compareSettings(before, after)...), nil
}

// RemovedKind is the change of a configuration that no longer declares a kind.
func RemovedKind(name string) Change {
	return change(Join("kinds", name), "declared", "", "kinds.removed")
}

// CompareKinds returns the changes from the declaration before to the declaration after, which has
// the same name.
func CompareKinds(before, after catalog.Kind) []Change {
	return compareKind(Join("kinds", after.Name), before, after)
}

var declaredKinds = memberRules[catalog.Kind]{
	list: "kinds",
	name: func(k catalog.Kind) string { return k.Name },
	show: func(catalog.Kind) string { return "declared" },
	both: compareKind,
}

// change returns a change of the class and for the reason of a ruling. A name without a ruling is a mistake
// in the program: it panics, so that no change passes without a class.
func change(path, was, is, ruling string) Change {
	r, found := rulings[ruling]
	if !found {
		panic("config: no ruling is named " + ruling)
	}
	return Change{Path: path, Was: was, Is: is, Class: r.Class, Why: r.Why}
}

// differ returns a change unless the two values are the same.
func differ(path, was, is, ruling string) []Change {
	if was == is {
		return nil
	}
	return []Change{change(path, was, is, ruling)}
}

// memberRules says how lists whose members have names are compared.
type memberRules[T any] struct {
	list string // name of the list in paths; its rulings are LIST.added and LIST.removed
	name func(T) string
	show func(T) string
	both func(path string, before, after T) []Change
}

func compareNamed[T any](path string, before, after []T, by memberRules[T]) (changes []Change) {
	path = Join(path, by.list)
	at := func(list []T, name string) int {
		return slices.IndexFunc(list, func(one T) bool { return by.name(one) == name })
	}
	for _, one := range before {
		where := Join(path, by.name(one))
		if i := at(after, by.name(one)); i >= 0 {
			changes = append(changes, by.both(where, one, after[i])...)
		} else {
			changes = append(changes, change(where, by.show(one), "", by.list+".removed"))
		}
	}
	for _, one := range after {
		if at(before, by.name(one)) < 0 {
			changes = append(changes, change(Join(path, by.name(one)), "", by.show(one), by.list+".added"))
		}
	}
	return changes
}
