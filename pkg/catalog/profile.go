package catalog

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// Profile declares the profiles of a subject type. The zero value of each field is its
// documented default; the zero Profile has no indexes, unique fields or versions.
type Profile struct {
	Declared []ProfileField
	Indexes  []ProfileIndex
	Unique   []Unique
	// Release is what happens to unique values when a subject is deleted.
	Release  Release
	Versions Versions
	// DeletedFor is how long a deleted subject can be restored; zero means without limit.
	DeletedFor time.Duration
	// GroupFields are the fields that groups of the type's kinds are by: each change of one is logged, with its
	// time. New adds the fields of all kinds. A program that changes profiles without the kinds declares them.
	GroupFields []string
	// GroupsFor is how long events are kept that count in these groups; zero means without limit. New sets it.
	GroupsFor time.Duration
}

// ProfileField declares a text field of profiles. Profiles may also have fields that are not declared.
type ProfileField struct {
	Name     string
	Values   []string // allowed values; empty allows any
	Default  string   // value of a new profile without the field; "" is none
	Required bool     // a profile without a text that is not empty is rejected
	// Immutable rejects an update that changes or removes the field of a profile that has it.
	Immutable bool
}

// Unique is a constraint: no two subjects of a type have the same values of its fields. A
// profile without one of the fields is not checked.
type Unique struct {
	Name   string   // in keys and errors; it can never change
	Fields []string // in this order
	Case   Case
	// PerOwner compares only subjects of one owner, which is what their ids have before the first colon: acme
	// of acme:sensor_01. Otherwise an owner could find out, and take, the values of others.
	PerOwner bool
}

// Case is how texts are compared.
type Case string

// The case rules.
const (
	CaseExact Case = "exact" // the default: byte by byte
	CaseFold  Case = "fold"  // upper and lower case are equal
)

// Release is what happens to unique values when a subject is deleted.
type Release string

// The policies.
const (
	// ReleaseFree is the default: other subjects can use the values at once. A restore fails if one has.
	ReleaseFree Release = "free"
	// ReleaseReserve reserves the values until the subject is permanently deleted. A restore
	// never fails because of them.
	ReleaseReserve Release = "reserve"
)

// Versions says whether every version of a profile is kept, and how long.
type Versions struct {
	Keep bool
	For  time.Duration // zero means as long as the subject exists
}

// Profile returns the declared profile of a subject type, with all defaults applied.
func (c *Catalog) Profile(subjectType string) Profile {
	for _, s := range c.subjects {
		if s.Name == subjectType && s.Profile != nil {
			return *s.Profile
		}
	}
	return Profile{}.Complete()
}

// SubjectType returns the subject type with a name, for example DEVICE.
func (c *Catalog) SubjectType(name string) (SubjectType, bool) {
	i := slices.IndexFunc(c.subjects, func(s SubjectType) bool { return s.Name == name })
	if i < 0 {
		return SubjectType{}, false
	}
	return c.subjects[i], true
}

// Complete returns a deep copy of p with all defaults applied.
func (p Profile) Complete() Profile {
	p.Indexes = slices.Clone(p.Indexes)
	p.Unique = slices.Clone(p.Unique)
	p.Declared = slices.Clone(p.Declared)
	p.GroupFields = slices.Clone(p.GroupFields)
	for i := range p.Declared {
		p.Declared[i].Values = slices.Clone(p.Declared[i].Values)
	}
	for i := range p.Indexes {
		p.Indexes[i] = p.Indexes[i].complete()
	}
	for i := range p.Unique {
		p.Unique[i].Fields = slices.Clone(p.Unique[i].Fields)
		p.Unique[i].Case = cmp.Or(p.Unique[i].Case, CaseExact)
	}
	p.Release = cmp.Or(p.Release, ReleaseFree)
	return p
}

// shareProfiles sets the profile that one kind declares on all kinds of its subject type.
func shareProfiles(kinds []Kind) {
	declared := map[string]*Profile{}
	for _, k := range kinds {
		if k.Subject.Profile != nil && declared[k.Subject.Name] == nil {
			whole := k.Subject.Profile.Complete()
			declared[k.Subject.Name] = &whole
		}
	}
	for i := range kinds {
		kinds[i].Subject.Profile = declared[kinds[i].Subject.Name]
	}
}

// Fields returns all field names that the profile declares, in order.
func (p *Profile) Fields() []Field {
	all := lists.Map(p.Declared, func(f ProfileField) Field {
		return Field{Name: f.Name, Path: "fields." + f.Name}
	})
	for _, x := range p.Indexes {
		all = append(all, x.fields()...)
	}
	for _, u := range p.Unique {
		all = append(all, lists.Map(u.Fields, func(f string) Field {
			return Field{Name: f, Path: "unique." + u.Name + ".fields"}
		})...)
	}
	return all
}
