package verify

import (
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// specAt returns the fields of a kind as they were at a version: without those that were
// added later. A measure that was not declared had the default scale and no percentiles.
func specAt(now *rollup.Spec, version model.Time) *rollup.Spec {
	if version >= now.FieldsAt {
		return now
	}
	lacks := func(role rollup.FieldRole, name string) bool {
		f, added := now.Added.Find(role, name)
		return added && f.Since > version && f.Since != model.MaxTime
	}
	then := *now
	then.FieldsAt = version
	then.Measures = nil
	for _, m := range now.Measures {
		if !lacks(rollup.MeasureRole, m.Name) {
			m.Percentiles = m.Percentiles && !lacks(rollup.PercentilesRole, m.Name)
			if lacks(rollup.StepsRole, m.Name) {
				m = rollup.MeasureSpec{Name: m.Name, Scale: m.Scale, Percentiles: m.Percentiles, Unit: m.Unit}
			}
			then.Measures = append(then.Measures, m)
		}
	}
	then.Dimensions = slices.DeleteFunc(slices.Clone(now.Dimensions), func(d rollup.DimensionSpec) bool {
		return lacks(rollup.DimensionRole, d.Name)
	})
	then.Distinct = slices.DeleteFunc(slices.Clone(now.Distinct), func(name string) bool {
		return lacks(rollup.DistinctRole, name)
	})
	return &then
}
