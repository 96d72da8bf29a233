package query

import "github.com/tidemark-db/tidemark/pkg/catalog"

// Units returns the units of measures by their names. A measure without a unit is left out, and so is one to
// which two of the kinds give different units, because their rollups may be merged.
func Units(kinds ...*catalog.Kind) map[string]string {
	units := map[string]string{}
	for _, k := range kinds {
		for _, m := range k.Spec().Measures {
			if unit, known := units[m.Name]; known && unit != m.Unit {
				m.Unit = ""
			}
			units[m.Name] = m.Unit
		}
	}
	for name, unit := range units {
		if unit == "" {
			delete(units, name)
		}
	}
	return units
}
