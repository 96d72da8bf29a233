package timeseries

import (
	"cmp"
	"errors"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// reconcile combines the kind with the tags. The deployed functions read the kind and not the Go type, so the
// kind decides: tags may omit its attributes but must not contradict it. A kind that declares no measures,
// dimensions and distinct fields takes them from the tags, and so does one without enrichment.
func (c *checker) reconcile(kind catalog.Kind) *catalog.Kind {
	undeclared := role(0)
	if len(kind.Measures)+len(kind.Dimensions)+len(kind.Distinct) == 0 {
		undeclared |= measureRole | dimensionRole | distinctRole
	}
	if len(kind.Enrichment) == 0 {
		undeclared |= enrichmentRole
	}
	declared := kind
	for i := range c.columns {
		switch column := &c.columns[i]; {
		case column.roles&^attrRoles != 0:
		case column.is(undeclared) && declaredRoles(&kind, column.name) == 0:
			column.declare(&declared)
		default:
			c.agree(column, &kind)
		}
	}
	return c.complete(declared)
}

// complete fills in the defaults of the kind and validates it as a catalog does.
func (c *checker) complete(kind catalog.Kind) *catalog.Kind {
	made, err := catalog.New(append([]catalog.Kind{kind}, c.sources...)...)
	if err == nil {
		c.agreeGroups(kind.Subject.Profile, &made.Kinds[0])
		return &made.Kinds[0]
	}
	var mistake *catalog.Mistake
	if errors.As(err, &mistake) {
		c.report(KindUnusable, "", "%s", mistake)
	} else {
		c.report(KindUnusable, "", "%s", err)
	}
	return nil
}

// agreeGroups reports groups by a field of profiles whose changes OpenProfiles would not log.
func (c *checker) agreeGroups(declared *catalog.Profile, kind *catalog.Kind) {
	for _, g := range kind.GroupKinds() {
		for _, name := range g.GroupBy {
			if g.GroupByProfile && !slices.Contains(declared.GroupFields, name) {
				c.report(KindUnusable, "", "kind %s has groups by the field %s of profiles, whose changes must be "+
					"logged: add it to GroupFields of Subject.Profile, and open the profiles with the same Subject",
					kind.Name, name)
			}
		}
	}
}

// declare adds the attribute of a tag to the kind. It appends to copies of the lists, so that
// the caller's kind does not change.
func (col *column) declare(kind *catalog.Kind) {
	if col.is(measureRole) {
		kind.Measures = append(slices.Clip(kind.Measures), rollup.MeasureSpec{
			Name: col.name, Scale: orDefault(col.scale, rollup.DefaultScale), Percentiles: col.percentiles,
			Counter: col.counter, Wrap: col.wrap, TimeMean: col.timeMean,
		})
	}
	if col.is(dimensionRole) {
		kind.Dimensions = append(slices.Clip(kind.Dimensions),
			rollup.DimensionSpec{Name: col.name, Top: orDefault(col.top, rollup.DefaultTop)})
	}
	if col.is(distinctRole) {
		kind.Distinct = append(slices.Clip(kind.Distinct), col.name)
	}
	if col.is(enrichmentRole) {
		kind.Enrichment = append(slices.Clip(kind.Enrichment), col.name)
	}
}

func orDefault(option, fallback int) int {
	if option == unset {
		return fallback
	}
	return option
}

// agree compares a tag with the kind's declaration of the same attribute. Options that the tag
// omits agree with any declaration.
func (c *checker) agree(column *column, kind *catalog.Kind) {
	declared := declaredRoles(kind, column.name)
	undeclared := declared == 0 && column.is(measureRole|fieldRole)
	if !undeclared && declared != column.roles {
		c.report(RowDiffers, column.goName, "the tag says %s, kind %s has %q as %s: make them equal",
			roleName(column.roles), kind.Name, column.name, cmp.Or(roleName(declared), "undeclared"))
		return
	}
	if column.is(measureRole) {
		c.agreeMeasure(column, kind)
	}
	if i := slices.IndexFunc(kind.Dimensions, func(d rollup.DimensionSpec) bool {
		return d.Name == column.name
	}); i >= 0 {
		if top := cmp.Or(kind.Dimensions[i].Top, rollup.DefaultTop); column.top != unset && column.top != top {
			c.report(RowDiffers, column.goName, "the tag says top=%d, kind %s keeps %d: make them equal", column.top,
				kind.Name, top)
		}
	}
}

// agreeMeasure compares the options of a measure. An undeclared measure has the default scale
// and no percentiles.
func (c *checker) agreeMeasure(column *column, kind *catalog.Kind) {
	spec := rollup.MeasureSpec{Name: column.name, Scale: rollup.DefaultScale}
	if i := slices.IndexFunc(kind.Measures, func(m rollup.MeasureSpec) bool {
		return m.Name == column.name
	}); i >= 0 {
		spec = kind.Measures[i]
	}
	if column.scale != unset && column.scale != spec.Scale {
		c.report(RowDiffers, column.goName, "the tag says scale=%d, kind %s sums %q at scale %d: make them equal",
			column.scale, kind.Name, column.name, spec.Scale)
	}
	if column.percentiles && !spec.Percentiles {
		c.report(RowDiffers, column.goName,
			"the tag says percentiles, kind %s has none for %q: declare them in the kind, or remove the option",
			kind.Name, column.name)
	}
	if column.timeMean && !spec.TimeMean {
		c.report(RowDiffers, column.goName,
			"the tag says mean=time, kind %s has none for %q: declare it in the kind, or remove the option",
			kind.Name, column.name)
	}
	if column.counter && (!spec.Counter || spec.Wrap != column.wrap) {
		c.report(RowDiffers, column.goName,
			"the tag says counter with wrap=%d, kind %s has %q otherwise: make them equal, or remove the options",
			column.wrap, kind.Name, column.name)
	}
}

// declaredRoles returns the roles of an attribute in the kind; 0 if it is not declared.
func declaredRoles(kind *catalog.Kind, name string) (roles role) {
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
	if kind.OrderBy == name {
		roles |= orderRole
	}
	return roles
}
