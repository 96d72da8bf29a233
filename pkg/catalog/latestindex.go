package catalog

import (
	"cmp"
	"slices"
)

// CurrentIndex finds the currents of a kind by fields that appends bring, over all
// subjects: the devices whose last reading said that the door is open. An entry is
// made anew by each append that brings every field of it.
type LatestIndex struct {
	Index string   // FirstIndex or SecondIndex; "" is the first. An index holds one of a kind.
	By    []string // the fields whose values are asked for, in this order
	Sort  []string // the fields that order those found, as text; then subject and stream do
	Half  HalfPolicy
}

// HalfPolicy says what becomes of the entry when an append brings only some of its
// fields. An append that brings none of them leaves it as it is.
type HalfPolicy string

// The policies for half an entry.
const (
	HalfSparse   HalfPolicy = "sparse"   // the default: current leaves the index until an append brings all
	HalfPreserve HalfPolicy = "preserve" // the entry stays as it was
)

// Fields are those of the whole entry.
func (x LatestIndex) Fields() []string { return slices.Concat(x.By, x.Sort) }

func (x LatestIndex) complete() LatestIndex {
	x.Index, x.Half = cmp.Or(x.Index, FirstIndex), cmp.Or(x.Half, HalfSparse)
	x.By, x.Sort = slices.Clone(x.By), slices.Clone(x.Sort)
	return x
}

// currentIndexes checks the indexes of currents. A key that mixed what appends bring
// with enrichment could be made by neither writer alone.
func (c checker) latestIndexes() {
	if len(c.k.LatestBy) > 0 && (c.k.WithoutLatest || c.k.Shards > 1) {
		c.wrong("latestBy", "needs one current a series: a kind without current has none, and one that is spread has one a shard")
	}
	taken := map[string]bool{}
	for _, x := range c.k.LatestBy {
		path := "latestBy." + x.Index
		switch {
		case x.Index != FirstIndex && x.Index != SecondIndex:
			c.wrong(path, quote(x.Index)+" is no index: want gsi1 or gsi2")
		case taken[x.Index]:
			c.wrong(path, "declared twice: an index holds one entry of a current")
		case len(x.By) == 0:
			c.wrong(path, "no field to find currents by: name at least one")
		case x.Half != HalfSparse && x.Half != HalfPreserve:
			c.wrong(path+".half", quote(string(x.Half))+" is no policy for half an entry: want sparse or preserve")
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
			c.wrong(path+"."+name, "stands in the key twice: remove one")
		}
		if c.k.Declared(name) {
			c.wrong(path+"."+name, "is a measure: numbers have no place in a key of text")
		}
		if seen[name] = true; c.k.IsEnrichment(name) {
			enriched++
		}
	}
	switch {
	case enriched > 0 && enriched < len(x.Fields()):
		c.wrong(path, "mixes fields that appends bring with enrichment, so neither writer could make the key: take fields of one kind")
	case enriched > 0:
		c.wrong(path, "is of enrichment alone, which no append brings: whoever writes the enrichment writes its index keys too")
	}
}
