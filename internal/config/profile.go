package config

import (
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// readProfile reads the profile declaration of a subject type over that of the built-in kind,
// key by key; lists and mappings are replaced whole. The built-in kind is not changed.
func readProfile(r *reader, v value, to **catalog.Profile) {
	p := catalog.Profile{}
	if *to != nil {
		p = **to
	}
	*to = &p
	r.object(v, members{
		{"fields", named(&p.Declared, readProfileField)},
		{"indexes", named(&p.Indexes, readIndex)},
		{"unique", named(&p.Unique, readUnique)},
		{"release", text(&p.Release)},
		{"versions", func(r *reader, v value) {
			r.object(v, members{
				{"keep", boolean(func(b bool) { p.Versions.Keep = b })},
				{"for", limit(&p.Versions.For)},
			})
		}},
		{"deletedFor", limit(&p.DeletedFor)},
	})
}

func readProfileField(r *reader, name string, v value) catalog.ProfileField {
	f := catalog.ProfileField{Name: name}
	r.object(v, members{{"values", list(&f.Values)}, {"default", text(&f.Default)}})
	return f
}

func readIndex(r *reader, name string, v value) catalog.ProfileIndex {
	x := catalog.ProfileIndex{Field: name, Index: catalog.FirstIndex, Shards: 1}
	r.object(v, members{{"index", text(&x.Index)}, {"shards", integer(&x.Shards)}})
	return x
}

func readUnique(r *reader, name string, v value) catalog.Unique {
	u := catalog.Unique{Name: name, Case: catalog.CaseExact}
	r.object(v, members{{"fields", list(&u.Fields)}, {"case", text(&u.Case)}})
	return u
}
