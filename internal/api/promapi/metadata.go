package promapi

import (
	"context"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// description is the type and a text of a metric.
type description struct {
	Type string `json:"type"`
	Help string `json:"help"`
	Unit string `json:"unit"`
}

// metadata returns the descriptions of each metric of a declared measure, and of the companions. Measures
// whose names differ in characters that metric names do not have are one metric.
func (a *API) metadata(_ context.Context, r request) (result, error) {
	limit, err := r.number("limit")
	if err != nil {
		return result{}, err
	}
	each, err := r.number("limit_per_metric")
	if err != nil {
		return result{}, err
	}
	all := a.descriptions()
	out := result{}
	metric := r.values.Get("metric")
	if _, known := all[metric]; metric != "" && !known {
		out.Warnings = append(out.Warnings, noValue(labelName, metric, slices.Collect(maps.Keys(all))))
	}
	isOther := func(name string) bool { return metric != "" && name != metric }
	names := slices.DeleteFunc(sortedKeys(all), isOther)
	names, out.Warnings = limited(names, limit, out.Warnings)
	found := map[string][]description{}
	for _, name := range names {
		found[name], out.Warnings = limited(all[name], each, out.Warnings)
	}
	out.Data = found
	return out, nil
}

func (a *API) descriptions() map[string][]description {
	all := map[string][]description{}
	for name, help := range companions {
		all[name] = []description{{Type: "gauge", Help: help}}
	}
	kinds := make([]*catalog.Kind, len(a.Catalog.Kinds))
	for i := range kinds {
		kinds[i] = &a.Catalog.Kinds[i]
	}
	units := query.Units(kinds...)
	for _, k := range kinds {
		for _, m := range k.Measures {
			name, one := Metric(m.Name), description{Type: "gauge", Unit: units[m.Name],
				Help: "Measure " + m.Name + ": one value for each closed bucket, at its end."}
			if !slices.Contains(all[name], one) {
				all[name] = append(all[name], one)
			}
		}
	}
	return all
}
