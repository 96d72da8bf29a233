package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// ProfileIndex finds profiles of a subject type by the texts of fields, and can order them by others. A
// profile that lacks one of the fields, or has an empty text in it, is not in the index.
type ProfileIndex struct {
	Field string
	// And are further fields: a query has a value for Field and for each of them.
	And []string
	// Sort are the fields that order the profiles with these values, before the subject's id. A query can
	// have a range of the first.
	Sort []string
	// Types are NumberOrder or TimeOrder for each field of Sort that has numbers or times; others have texts.
	// A profile with a value of another type is rejected.
	Types map[string]OrderType
	Index string // FirstIndex or SecondIndex; "" is the first. A type of subjects uses each at most once.
	// Shards is the number of partitions for the profiles of one value, so that a frequent
	// value does not make a hot partition; 0 and 1 mean one. It can never change. An index with Sort has one.
	Shards int
}

// The indexes of the table, as named in package keys.
const (
	FirstIndex  = "gsi1"
	SecondIndex = "gsi2"
)

// maxIndexFields limits the fields that a query has values for, and the fields that order an index. Their
// texts share a partition key of 2048 bytes and a sort key of 1024.
const maxIndexFields = 4

// By returns the fields that a query has values for.
func (x ProfileIndex) By() []string { return slices.Concat([]string{x.Field}, x.And) }

// SortType returns the type of a field of Sort.
func (x ProfileIndex) SortType(field string) OrderType { return cmp.Or(x.Types[field], TextOrder) }

func (x ProfileIndex) complete() ProfileIndex {
	x.Index, x.Shards = cmp.Or(x.Index, FirstIndex), cmp.Or(x.Shards, 1)
	x.And = slices.Clone(x.And)
	x.Sort = slices.Clone(x.Sort)
	x.Types = maps.Clone(x.Types)
	return x
}

func (x ProfileIndex) fields() []Field {
	path := "indexes." + x.Field
	all := []Field{{Name: x.Field, Path: path}}
	all = append(all, lists.Map(x.And, func(name string) Field {
		return Field{Name: name,
			Path: path + ".and"}
	})...)
	return append(all, lists.Map(x.Sort, func(name string) Field {
		return Field{Name: name,
			Path: path + ".sort"}
	})...)
}

// indexes validates the indexes of profiles.
func (c checker) indexes(p *Profile) {
	taken := map[string]bool{}
	for i, x := range p.Indexes {
		path := "subject.profile.indexes." + x.Field
		c.wrong(path, wrongField(x.Field))
		if x.Index != FirstIndex && x.Index != SecondIndex {
			c.wrong(path, quote(x.Index)+" is not an index: want gsi1 or gsi2")
		}
		if taken[x.Index] {
			c.wrong(path,
				quote(x.Index)+" has another field already: an index has one field, or one list of fields, see and")
		}
		taken[x.Index] = true
		c.within(path+".shards", x.Shards, 1, MaxShards, "a list sends one request for each")
		if len(x.And)+len(x.Sort)+len(x.Types) > 0 {
			c.indexFields(path, x, p)
		}
		if slices.ContainsFunc(p.Indexes[:i], func(e ProfileIndex) bool {
			return len(e.Sort)+len(x.Sort) > 0 && slices.Equal(e.By(), x.By())
		}) {
			c.wrong(path, "another index has the same fields, and a query would not say which: remove one")
		}
	}
}

// indexFields validates an index of several fields.
func (c checker) indexFields(path string, x ProfileIndex, p *Profile) {
	seen := map[string]bool{x.Field: true}
	check := func(path, name string) {
		c.wrong(path, wrongField(name))
		if seen[name] {
			c.wrong(path, quote(name)+" is in the index twice: remove one")
		}
		seen[name] = true
	}
	for _, name := range x.And {
		check(path+".and", name)
	}
	for _, name := range x.Sort {
		check(path+".sort", name)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Types)) {
		c.sortType(path+".types", name, x, p)
	}
	c.fewFields(path+".and", len(x.By()), "find profiles by")
	c.fewFields(path+".sort", len(x.Sort), "sort them by")
	if len(x.Sort) > 0 && x.Shards > 1 {
		c.wrong(path+".sort",
			"a sorted list would read every shard for each page: remove shards, "+
				"and name a further field in and if one value is too frequent")
	}
}

// sortType validates the type of a field that orders an index.
func (c checker) sortType(path, name string, x ProfileIndex, p *Profile) {
	declared := slices.ContainsFunc(p.Declared, func(d ProfileField) bool { return d.Name == name })
	switch t := x.Types[name]; {
	case !slices.Contains(x.Sort, name):
		c.wrong(path, quote(name)+" does not sort the index: add it to sort, or remove its type")
	case t != TextOrder && t != NumberOrder && t != TimeOrder:
		c.wrong(path, fmt.Sprintf("%s has the type %s, which has no order: want text, number or time", quote(name),
			quote(string(t))))
	case declared && t == NumberOrder:
		c.wrong(path,
			quote(name)+" is a declared field, and these are texts: remove it from fields, or sort it as text")
	}
}

func (c checker) fewFields(path string, n int, what string) {
	if n > maxIndexFields {
		c.wrong(path, fmt.Sprintf("%d fields to %s: want at most %d, because their values share one key", n, what,
			maxIndexFields))
	}
}
