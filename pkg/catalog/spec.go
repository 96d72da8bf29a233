package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Spec returns which fields of the kind's events are summarised: the declared ones, or those
// of FoldBy. The result is shared: do not modify it.
func (k *Kind) Spec() *rollup.Spec {
	if k.foldBy != nil {
		return k.foldBy
	}
	return k.declared()
}

// FoldBy sets what Spec returns, for a table that was written under other fields than the
// declared ones. Do not call it while k is in use.
func (k *Kind) FoldBy(spec *rollup.Spec) { k.foldBy = spec }

func (k *Kind) declared() *rollup.Spec {
	if k.spec == nil {
		return k.makeSpec()
	}
	return k.spec
}

// Declared reports whether name is a declared measure, which may be null, NaN or unparsable
// and counts as invalid then.
func (k *Kind) Declared(name string) bool {
	_, found := slices.BinarySearchFunc(k.declared().Measures, name,
		func(m rollup.MeasureSpec, name string) int { return strings.Compare(m.Name, name) })
	return found
}

// IsEnrichment reports whether name is an enrichment field, which appends never write.
func (k *Kind) IsEnrichment(name string) bool { return slices.Contains(k.Enrichment, name) }

func (k *Kind) makeSpec() *rollup.Spec {
	return &rollup.Spec{
		Measures: slices.SortedFunc(slices.Values(k.Measures),
			func(a, b rollup.MeasureSpec) int { return cmp.Compare(a.Name, b.Name) }),
		Dimensions: slices.SortedFunc(slices.Values(k.Dimensions),
			func(a, b rollup.DimensionSpec) int { return cmp.Compare(a.Name, b.Name) }),
		Distinct:    slices.Sorted(slices.Values(k.Distinct)),
		MaxMeasures: k.MaxMeasures,
	}
}
