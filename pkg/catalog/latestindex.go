package catalog

import (
	"cmp"
	"slices"
)

// LatestIndex finds the latest items of a kind over all subjects, by fields of appended
// events: for example the devices whose last reading has door = open. An append with all
// fields of the index updates the entry. If the fields are enrichment, Events.Enrich does.
type LatestIndex struct {
	Index string   // FirstIndex or SecondIndex; "" is the first. A kind uses each at most once.
	By    []string // fields whose values are queried, in this order
	Sort  []string // fields that sort the results, as text, before subject and stream
	Half  HalfPolicy
}

// HalfPolicy is what happens to an index entry if an append, or an enrichment, has only some of the
// fields, or removes one. One without any of them does not change it.
type HalfPolicy string

// The policies for incomplete entries.
const (
	HalfSparse   HalfPolicy = "sparse"   // the default: the entry is removed until an append has all fields
	HalfPreserve HalfPolicy = "preserve" // the entry is not changed
)

// Fields returns all fields of an entry.
func (x LatestIndex) Fields() []string { return slices.Concat(x.By, x.Sort) }

func (x LatestIndex) complete() LatestIndex {
	x.Index, x.Half = cmp.Or(x.Index, FirstIndex), cmp.Or(x.Half, HalfSparse)
	x.By, x.Sort = slices.Clone(x.By), slices.Clone(x.Sort)
	return x
}

// latestIndexes validates the indexes of latest items. A key cannot mix fields of events with
// enrichment, because no writer has both.
func (c checker) latestIndexes() {
	if len(c.k.LatestBy) > 0 && (!c.k.LatestInTransaction() || c.k.Shards > 1) {
		c.wrong("latestBy", "needs exactly one latest item for each series, which each append writes: "+
			"write latest: transaction, and do not shard the kind")
	}
	taken := map[string]bool{}
	for _, x := range c.k.LatestBy {
		path := "latestBy." + x.Index
		switch {
		case x.Index != FirstIndex && x.Index != SecondIndex:
			c.wrong(path, quote(x.Index)+" is not an index: want gsi1 or gsi2")
		case taken[x.Index]:
			c.wrong(path, "declared twice: a latest item has one entry in an index")
		case len(x.By) == 0:
			c.wrong(path, "no field to find latest items by: add at least one")
		case x.Half != HalfSparse && x.Half != HalfPreserve:
			c.wrong(path+".half",
				quote(string(x.Half))+" is not a policy for incomplete entries: want sparse or preserve")
		}
		taken[x.Index] = true
		c.latestFields(path, x)
	}
}

func (c checker) latestFields(path string, x LatestIndex) {
	enriched, seen := 0, map[string]bool{}
	for _, name := range x.Fields() {
		c.wrong(path+"."+name, wrongField(name))
		if seen[name] {
			c.wrong(path+"."+name, "is in the key twice: remove one")
		}
		if c.k.Declared(name) {
			c.wrong(path+"."+name, "is a measure, and the key consists of text fields: choose a text field")
		}
		if seen[name] = true; c.k.IsEnrichment(name) {
			enriched++
		}
	}
	if enriched > 0 && enriched < len(x.Fields()) {
		c.wrong(path, "mixes fields of events with enrichment, and no writer has all of them: "+
			"use fields of one of the two")
	}
}
