package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// maxUnique is the maximum number of unique constraints of a subject type. All their values
// may change in one transaction, which DynamoDB limits to 100 items.
const maxUnique = 40

// minRestore is the minimum time for which a deleted subject can be restored.
const minRestore = 24 * time.Hour

// profile validates the profile of the subject type, with the first kind of the type.
func (c checker) profile() {
	p := c.k.Subject.Profile
	if p == nil {
		return
	}
	for i, f := range p.Declared {
		path := "subject.profile.fields." + f.Name
		c.wrong(path, wrongField(f.Name))
		if slices.ContainsFunc(p.Declared[:i], func(e ProfileField) bool { return e.Name == f.Name }) {
			c.wrong(path, "declared twice: remove one")
		}
		if f.Default != "" && len(f.Values) > 0 && !slices.Contains(f.Values, f.Default) {
			c.wrong(path+".default",
				quote(f.Default)+" is not one of the allowed values: add it to them, or choose one of them")
		}
	}
	c.indexes(p)
	c.constraints(p)
	if !slices.Contains([]Release{ReleaseFree, ReleaseReserve}, p.Release) {
		c.wrong("subject.profile.release", quote(string(p.Release))+
			" is not a policy for the unique values of deleted subjects: want free or reserve")
	}
	for _, name := range p.GroupFields {
		if !slices.ContainsFunc(p.Fields(), func(f Field) bool { return f.Name == name }) {
			c.wrong("subject.profile.groupFields", quote(name)+" is not a declared field: add it to fields")
		}
	}
	c.kept("subject.profile.versions.for", p.Versions.For)
	c.kept("subject.profile.deletedFor", p.DeletedFor)
}

func (c checker) constraints(p *Profile) {
	if len(p.Unique) > maxUnique {
		c.wrong("subject.profile.unique", fmt.Sprintf(
			"%d constraints: want at most %d, because one transaction changes all of them", len(p.Unique), maxUnique))
	}
	names := map[string]bool{}
	for i, u := range p.Unique {
		path := "subject.profile.unique." + u.Name
		switch {
		case u.Name == "":
			c.wrong("subject.profile.unique",
				"constraint "+strconv.Itoa(i+1)+" has no name: add one, it is part of keys")
		case len(u.Name) > MaxName:
			c.wrong(path, "longer than 64 bytes: choose a shorter name, it is part of keys")
		case names[u.Name]:
			c.wrong(path, "declared twice: remove one")
		}
		names[u.Name] = true
		if len(u.Fields) == 0 {
			c.wrong(path+".fields", "missing: list the fields whose values must be unique")
		}
		for n, f := range u.Fields {
			c.wrong(path+".fields", wrongField(f))
			if slices.Contains(u.Fields[:n], f) {
				c.wrong(path+".fields", quote(f)+" is listed twice: remove one")
			}
		}
		if u.Case != CaseExact && u.Case != CaseFold {
			c.wrong(path+".case", quote(string(u.Case))+" is not a case rule: want exact or fold")
		}
	}
}

func (c checker) kept(path string, d time.Duration) {
	if d != 0 && d < minRestore {
		c.wrong(path, fmt.Sprintf(
			"%s is less than a day, and TTL removes items with a delay of up to days: want 24 h or more, "+
				"or 0 for no limit", d))
	}
}
