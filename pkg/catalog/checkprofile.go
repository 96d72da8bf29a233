package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// MaxUnique is how many constraints a subject type may declare: a change of all their
// values is one transaction, which holds a hundred items.
const MaxUnique = 40

// Restored is the least time for which a deleted subject can be restored, where it is
// not for ever: TTL takes a tombstone away, and a day is what a slip takes to be seen.
const Restored = 24 * time.Hour

// profile checks what the subject type's profiles promise. It is checked once, with
// the first kind that names the type.
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
			c.wrong(path+".default", quote(f.Default)+" is none of the values allowed: add it to them, or choose one of them")
		}
	}
	indexes := map[string]bool{}
	for _, x := range p.Indexes {
		path := "subject.profile.indexes." + x.Field
		c.wrong(path, wrongField(x.Field))
		if x.Index != FirstIndex && x.Index != SecondIndex {
			c.wrong(path, quote(x.Index)+" is no index: want gsi1 or gsi2")
		}
		if indexes[x.Index] {
			c.wrong(path, quote(x.Index)+" finds by another field already: an index holds one field")
		}
		indexes[x.Index] = true
		c.within(path+".shards", x.Shards, 1, MaxShards, "partitions a value is spread over; each costs a list a request")
	}
	c.constraints(p)
	if !slices.Contains([]Release{ReleaseFree, ReleaseReserve}, p.Release) {
		c.wrong("subject.profile.release", quote(string(p.Release))+" is no policy for the unique values of deleted subjects: want free or reserve")
	}
	c.kept("subject.profile.versions.for", p.Versions.For)
	c.kept("subject.profile.deletedFor", p.DeletedFor)
}

func (c checker) constraints(p *Profile) {
	if len(p.Unique) > MaxUnique {
		c.wrong("subject.profile.unique", fmt.Sprintf("%d constraints: at most %d, for one transaction changes them all", len(p.Unique), MaxUnique))
	}
	names := map[string]bool{}
	for i, u := range p.Unique {
		path := "subject.profile.unique." + u.Name
		switch {
		case u.Name == "":
			c.wrong("subject.profile.unique", "constraint "+strconv.Itoa(i+1)+" has no name: it is part of keys")
		case len(u.Name) > MaxName:
			c.wrong(path, "longer than 64 bytes: it is part of keys, choose a shorter one")
		case names[u.Name]:
			c.wrong(path, "declared twice: remove one")
		}
		names[u.Name] = true
		if len(u.Fields) == 0 {
			c.wrong(path+".fields", "missing: say which fields' values no two subjects share")
		}
		for n, f := range u.Fields {
			c.wrong(path+".fields", wrongField(f))
			if slices.Contains(u.Fields[:n], f) {
				c.wrong(path+".fields", quote(f)+" stands twice: remove one")
			}
		}
		if u.Case != CaseExact && u.Case != CaseFold {
			c.wrong(path+".case", quote(string(u.Case))+" is no case rule: want exact or fold")
		}
	}
}

func (c checker) kept(path string, d time.Duration) {
	if d != 0 && d < Restored {
		c.wrong(path, fmt.Sprintf("%s is less than a day: TTL removes by days; want 24 h or more, or 0 for ever", d))
	}
}
