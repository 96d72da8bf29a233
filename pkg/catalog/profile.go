package catalog

import (
	"cmp"
	"slices"
	"time"
)

// Profile declares what the profiles of a subject type promise. The zero value of each
// field is its documented default, and so is that of the whole: profiles without
// index, unique fields or versions.
type Profile struct {
	Declared []ProfileField
	Indexes  []ProfileIndex
	Unique   []Unique
	// Release says what becomes of unique values when a subject is deleted.
	Release  Release
	Versions Versions
	// DeletedFor is how long a deleted subject can be restored; zero means for ever.
	DeletedFor time.Duration
}

// ProfileField declares a text field of the profiles of a subject type. Profiles may have
// any others beside those that are declared.
type ProfileField struct {
	Name    string
	Values  []string // those allowed; none means any
	Default string   // what a profile is created with where the field is left out; "" is none
}

// ProfileIndex finds the profiles of a subject type by a text field. A profile without
// the field is not in it.
type ProfileIndex struct {
	Field string
	Index string // FirstIndex or SecondIndex; "" is the first. An index holds one field.
	// Shards are partitions over which the profiles of one value are spread, so that a
	// value that most have is no hot partition; 0 and 1 mean one. Fixed for its life.
	Shards int
}

// The indexes of the table, by the names that keys gives them.
const (
	FirstIndex  = "gsi1"
	SecondIndex = "gsi2"
)

// Unique is a constraint: no two subjects of a type have the same values of its
// fields. It is sparse: a profile that lacks one of them is not held to it.
type Unique struct {
	Name   string   // as in keys and errors; it never changes
	Fields []string // in this order
	Case   Case
}

// Case says which texts are the same value.
type Case string

// The case rules.
const (
	CaseExact Case = "exact" // the default: byte by byte
	CaseFold  Case = "fold"  // capital and small letters are the same
)

// Release says what becomes of unique values when a subject is deleted.
type Release string

// The policies.
const (
	// ReleaseFree is the default: they are free at once. Restoring fails where somebody
	// has claimed one since.
	ReleaseFree Release = "free"
	// ReleaseReserve keeps them until the subject is gone for good. Restoring never
	// fails for them.
	ReleaseReserve Release = "reserve"
)

// Versions says whether each change of a profile is kept, and for how long.
type Versions struct {
	Keep bool
	For  time.Duration // zero means as long as the subject
}

// Profile is what the profiles of a subject type promise: what was declared, with
// every default filled in.
func (c *Catalog) Profile(subjectType string) Profile {
	for _, s := range c.subjects {
		if s.Name == subjectType && s.Profile != nil {
			return *s.Profile
		}
	}
	return Profile{}.complete()
}

// SubjectType finds a subject type by its name in keys: DEVICE.
func (c *Catalog) SubjectType(name string) (SubjectType, bool) {
	i := slices.IndexFunc(c.subjects, func(s SubjectType) bool { return s.Name == name })
	if i < 0 {
		return SubjectType{}, false
	}
	return c.subjects[i], true
}

// complete is a copy of p that shares nothing with it, defaults filled in.
func (p Profile) complete() Profile {
	p.Indexes, p.Unique, p.Declared = slices.Clone(p.Indexes), slices.Clone(p.Unique), slices.Clone(p.Declared)
	for i := range p.Declared {
		p.Declared[i].Values = slices.Clone(p.Declared[i].Values)
	}
	for i := range p.Indexes {
		p.Indexes[i].Index = cmp.Or(p.Indexes[i].Index, FirstIndex)
		p.Indexes[i].Shards = cmp.Or(p.Indexes[i].Shards, 1)
	}
	for i := range p.Unique {
		p.Unique[i].Fields = slices.Clone(p.Unique[i].Fields)
		p.Unique[i].Case = cmp.Or(p.Unique[i].Case, CaseExact)
	}
	p.Release = cmp.Or(p.Release, ReleaseFree)
	return p
}

// shareProfiles gives all kinds of a subject type the one profile that one of them
// declares, completed, so that the type is the same wherever it is named.
func shareProfiles(kinds []Kind) {
	declared := map[string]*Profile{}
	for _, k := range kinds {
		if k.Subject.Profile != nil && declared[k.Subject.Name] == nil {
			whole := k.Subject.Profile.complete()
			declared[k.Subject.Name] = &whole
		}
	}
	for i := range kinds {
		kinds[i].Subject.Profile = declared[kinds[i].Subject.Name]
	}
}

// Fields are all names the profile declares, in order, and where it does so.
func (p *Profile) Fields() []Field {
	var all []Field
	for _, f := range p.Declared {
		all = append(all, Field{Name: f.Name, Path: "fields." + f.Name})
	}
	for _, x := range p.Indexes {
		all = append(all, Field{Name: x.Field, Path: "indexes." + x.Field})
	}
	for _, u := range p.Unique {
		for _, f := range u.Fields {
			all = append(all, Field{Name: f, Path: "unique." + u.Name + ".fields"})
		}
	}
	return all
}
