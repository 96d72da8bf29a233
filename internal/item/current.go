package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromCurrent is the stored form of c.
func FromCurrent(c *model.Current) Item {
	it := under(keys.Current(c.Series), len(c.Attrs)+5)
	it.setAttrs(c.Attrs)
	if c.Ordered {
		it[keys.AttrAt] = timeOf(c.At)
		it[keys.AttrID] = stringOf(c.ID)
		it[keys.AttrHash] = bytesOf(c.Hash[:])
	}
	if c.Ordered || c.CreatedAt != 0 {
		it[keys.AttrCreatedAt] = timeOf(c.CreatedAt)
	}
	if c.Fenced {
		it[keys.AttrFence] = boolOf(true)
	}
	return it
}

// Current is the way back from FromCurrent. All attributes that are not ours become
// Attrs, enrichment by other writers with them; what has a type that no field has (a
// map or a list that an enricher keeps there) is left out, never an error. An item
// without order attribute was made by enrichment alone and is not Ordered. Errors
// wrap keys.ErrForeign, ErrNewer or ErrDamaged.
func Current(it Item) (model.Current, error) {
	series, err := keys.ParseCurrent(it.Key())
	if err != nil {
		return model.Current{}, err
	}
	c := model.Current{Series: series}
	r := reader{it: it}
	r.version(optional)
	_, c.Fenced = it[keys.AttrFence]
	c.CreatedAt = r.time(keys.AttrCreatedAt, optional)
	if _, c.Ordered = it[keys.AttrAt]; c.Ordered {
		c.At = r.time(keys.AttrAt, required)
		c.ID = r.string(keys.AttrID, required)
		c.Hash = r.bytes16(keys.AttrHash, required)
	}
	if r.err != nil {
		return model.Current{Series: series}, fmt.Errorf("read current of %s: %w", series, r.err)
	}
	c.Attrs, _ = it.attrs()
	return c, nil
}
