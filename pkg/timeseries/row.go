package timeseries

import (
	"cmp"
	"errors"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// reconcile makes the one row of the kind. What the row declares decides, because the
// functions that admit events and fold rollups read it and not the Go type: the tags
// may leave attributes out, but may not contradict it. A row that declares nothing to
// be summarised takes that from the tags, and one without enrichment takes that.
func (c *checker) reconcile(kind catalog.Kind) *catalog.Kind {
	silent := role(0)
	if len(kind.Measures)+len(kind.Dimensions)+len(kind.Distinct) == 0 {
		silent |= measureRole | dimensionRole | distinctRole
	}
	if len(kind.Enrichment) == 0 {
		silent |= enrichmentRole
	}
	declared := kind
	for i := range c.columns {
		switch column := &c.columns[i]; {
		case column.roles&^attrRoles != 0:
		case column.is(silent) && rolesIn(&kind, column.name) == 0:
			column.declare(&declared)
		default:
			c.agree(column, &kind)
		}
	}
	return c.complete(declared)
}

// complete fills in the defaults of the row and checks it as a catalog does.
func (c *checker) complete(kind catalog.Kind) *catalog.Kind {
	made, err := catalog.New(kind)
	if err == nil {
		return &made.Kinds[0]
	}
	var mistake *catalog.Mistake
	if errors.As(err, &mistake) {
		c.wrong(KindUnusable, "", "%s", mistake)
	} else {
		c.wrong(KindUnusable, "", "%s", err)
	}
	return nil
}

// declare adds to the row what the tag says. It grows copies of the lists: the
// row that was given stays as it is.
func (col *column) declare(kind *catalog.Kind) {
	if col.is(measureRole) {
		kind.Measures = append(slices.Clip(kind.Measures), rollup.MeasureSpec{Name: col.name, Scale: said(col.scale, rollup.DefaultScale), Percentiles: col.percentiles})
	}
	if col.is(dimensionRole) {
		kind.Dimensions = append(slices.Clip(kind.Dimensions), rollup.DimensionSpec{Name: col.name, Top: said(col.top, rollup.DefaultTop)})
	}
	if col.is(distinctRole) {
		kind.Distinct = append(slices.Clip(kind.Distinct), col.name)
	}
	if col.is(enrichmentRole) {
		kind.Enrichment = append(slices.Clip(kind.Enrichment), col.name)
	}
}

func said(option, otherwise int) int {
	if option == unsaid {
		return otherwise
	}
	return option
}

// agree compares what the tag says with what the row says of the same attribute. An
// option that the tag leaves out is the row's.
func (c *checker) agree(column *column, kind *catalog.Kind) {
	declared := rolesIn(kind, column.name)
	undeclared := declared == 0 && column.is(measureRole|fieldRole)
	if !undeclared && declared != column.roles {
		c.wrong(RowDiffers, column.goName, "the tag says %s, kind %s has %q as %s: make them say the same", roleName(column.roles), kind.Name, column.name, cmp.Or(roleName(declared), "undeclared"))
		return
	}
	if column.is(measureRole) {
		c.agreeMeasure(column, kind)
	}
	if i := slices.IndexFunc(kind.Dimensions, func(d rollup.DimensionSpec) bool { return d.Name == column.name }); i >= 0 {
		if top := cmp.Or(kind.Dimensions[i].Top, rollup.DefaultTop); column.top != unsaid && column.top != top {
			c.wrong(RowDiffers, column.goName, "the tag says top=%d, kind %s keeps %d: make them say the same", column.top, kind.Name, top)
		}
	}
}

// agreeMeasure compares options; an undeclared measure has the default scale and no
// percentiles.
func (c *checker) agreeMeasure(column *column, kind *catalog.Kind) {
	spec := rollup.MeasureSpec{Name: column.name, Scale: rollup.DefaultScale}
	if i := slices.IndexFunc(kind.Measures, func(m rollup.MeasureSpec) bool { return m.Name == column.name }); i >= 0 {
		spec = kind.Measures[i]
	}
	if column.scale != unsaid && column.scale != spec.Scale {
		c.wrong(RowDiffers, column.goName, "the tag says scale=%d, kind %s sums %q at scale %d: make them say the same", column.scale, kind.Name, column.name, spec.Scale)
	}
	if column.percentiles && !spec.Percentiles {
		c.wrong(RowDiffers, column.goName, "the tag says percentiles, kind %s keeps none of %q: declare them there or remove the option", kind.Name, column.name)
	}
}

// rolesIn is what the row declares a name as; 0 where it does not.
func rolesIn(kind *catalog.Kind, name string) (roles role) {
	if slices.ContainsFunc(kind.Measures, func(m rollup.MeasureSpec) bool { return m.Name == name }) {
		roles |= measureRole
	}
	if slices.ContainsFunc(kind.Dimensions, func(d rollup.DimensionSpec) bool { return d.Name == name }) {
		roles |= dimensionRole
	}
	if slices.Contains(kind.Distinct, name) {
		roles |= distinctRole
	}
	if slices.Contains(kind.Enrichment, name) {
		roles |= enrichmentRole
	}
	return roles
}
