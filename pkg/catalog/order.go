package catalog

// order validates what orders the events of a kind.
func (c checker) order() {
	if c.k.OrderBy == "" {
		if c.k.OrderType != "" {
			c.wrong("orderBy", "has a type and no field: add the field that orders the events, or remove the type")
		}
		return
	}
	c.wrong("orderBy", wrongField(c.k.OrderBy))
	switch {
	case c.k.OrderType != NumberOrder && c.k.OrderType != TextOrder:
		c.wrong("orderBy", quote(string(c.k.OrderType))+" is not a type that orders events: want number or text")
	case len(c.k.Retention.Tiers) > 0:
		c.wrong("tiers", "events that are ordered by "+quote(c.k.OrderBy)+" have no time, so there are no buckets to summarise them in: declare raw alone")
	case c.k.IDs == MintedID:
		c.wrong("ids", "minted ids are derived from the event time, and these events have none: want optional or required")
	case c.k.IndexBy != "":
		c.wrong("indexBy", "the index orders events by time, and these events have none: remove one of orderBy and indexBy")
	}
}
