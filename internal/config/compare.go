package config

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Class says what a change of the configuration asks for, where data is stored under
// the one before.
type Class string

// The classes.
const (
	// Safe changes take effect when they are deployed. What is stored stays right.
	Safe Class = "safe"
	// NeedsRebuild changes leave rows that were folded by the configuration before as
	// they are, until they are rebuilt from the events that are still stored.
	NeedsRebuild Class = "needs a rebuild"
	// Refused changes would lose what is stored, or make rows say what is not so.
	Refused Class = "refused"
)

// Change is one difference between two configurations.
type Change struct {
	Path    string // of the value, as in a Mistake
	Was, Is string // as the file writes it; "" where there is none
	Class   Class
	Why     string // what comes of it and, unless it is safe, what to do
}

// String is one line.
func (c Change) String() string {
	was, is := c.Was, c.Is
	if was == "" {
		was = "none"
	}
	if is == "" {
		is = "none"
	}
	return fmt.Sprintf("%s: %s: %s to %s: %s", c.Class, c.Path, was, is, c.Why)
}

// Compare lists what after changes of before, kinds first, in order of declaration.
// Kinds are compared as they come to be, with every default filled in, so that what
// was written out and what was left to the default are the same. The error is that of
// a configuration that does not validate.
func Compare(before, after *Config) ([]Change, error) {
	old, err := before.Catalog()
	if err != nil {
		return nil, fmt.Errorf("the configuration before: %w", err)
	}
	now, err := after.Catalog()
	if err != nil {
		return nil, fmt.Errorf("the configuration after: %w", err)
	}
	changes := compareNamed("kinds", old.Kinds, now.Kinds, memberRules[catalog.Kind]{
		name:    func(k catalog.Kind) string { return k.Name },
		show:    func(k catalog.Kind) string { return "declared" },
		added:   ruling{Safe, "a new kind stores under keys of its own"},
		removed: ruling{Refused, "its events and rows would stand where nobody reads them, and changes to them would go to quarantine: keep it declared until the last has expired"},
		both:    compareKind,
	})
	return append(changes, compareSettings(before, after)...), nil
}

// ruling is a class and its reason.
type ruling struct {
	class Class
	why   string
}

func (r ruling) change(path, was, is string) Change {
	return Change{Path: path, Was: was, Is: is, Class: r.class, Why: r.why}
}

// memberRules says how the members of a list that have names are compared.
type memberRules[T any] struct {
	name           func(T) string
	show           func(T) string
	added, removed ruling
	both           func(path string, before, after T) []Change
}

func compareNamed[T any](path string, before, after []T, by memberRules[T]) (changes []Change) {
	at := func(list []T, name string) int {
		return slices.IndexFunc(list, func(one T) bool { return by.name(one) == name })
	}
	for _, one := range before {
		where := join(path, by.name(one))
		if i := at(after, by.name(one)); i >= 0 {
			changes = append(changes, by.both(where, one, after[i])...)
		} else {
			changes = append(changes, by.removed.change(where, by.show(one), ""))
		}
	}
	for _, one := range after {
		if at(before, by.name(one)) < 0 {
			changes = append(changes, by.added.change(join(path, by.name(one)), "", by.show(one)))
		}
	}
	return changes
}
