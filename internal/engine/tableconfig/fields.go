package tableconfig

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Spec returns the fields that a process folds by at now. It takes the table's fields, because a row names
// the version of these fields that it includes. A removed field is folded for Lead longer: by then every
// reader knows that its figures are not whole. The result depends on the arguments only.
func Spec(stored *storage.KindConfig, declared *catalog.Kind, now model.Time) *rollup.Spec {
	return &rollup.Spec{
		MaxMeasures: declared.MaxMeasures, FieldsAt: fieldsAt(stored),
		Measures: foldedMeasures(stored, now),
		Dimensions: lists.Map(folded(stored.Dimensions, now), func(f storage.FieldConfig) rollup.DimensionSpec {
			d := rollup.DimensionSpec{Name: f.Name, Top: f.Top, Detail: f.Detail}
			copy(d.Of[:], f.Of)
			return d
		}),
		Distinct: lists.Map(folded(stored.Distinct, now), func(f storage.FieldConfig) string { return f.Name }),
		Added: slices.Concat(
			added(rollup.MeasureRole, stored.Measures, measureFields(declared)),
			addedPercentiles(stored.Measures, measureFields(declared)),
			addedSteps(stored.Measures, measureFields(declared)),
			added(rollup.DimensionRole, stored.Dimensions, dimensionFields(declared)),
			added(rollup.DistinctRole, stored.Distinct, distinctFields(declared))),
	}
}

func foldedMeasures(stored *storage.KindConfig, now model.Time) []rollup.MeasureSpec {
	return lists.Map(folded(stored.Measures, now), func(f storage.FieldConfig) rollup.MeasureSpec {
		return rollup.MeasureSpec{
			Name: f.Name, Scale: f.Scale, Percentiles: f.Percentiles, Counter: f.Counter, Wrap: f.Wrap,
			TimeMean: f.TimeMean, Unit: f.Unit,
		}
	})
}

// fieldsAt returns the version of the table's fields: when the last of them was added.
func fieldsAt(stored *storage.KindConfig) (at model.Time) {
	for _, f := range slices.Concat(stored.Measures, stored.Dimensions, stored.Distinct) {
		at = max(at, f.Since, f.PercentilesSince, f.StepsSince)
	}
	return at
}

func folded(all []storage.FieldConfig, now model.Time) (some []storage.FieldConfig) {
	return lists.Filter(all, func(f storage.FieldConfig) bool {
		return f.RemovedAt == 0 || now < f.RemovedAt.Add(Lead)
	})
}

// added returns the fields that some rows may lack: those that were added, that were
// removed, and that are declared but not applied.
func added(role rollup.FieldRole, stored, declared []storage.FieldConfig) (all rollup.AddedFields) {
	for _, f := range stored {
		switch {
		case f.RemovedAt != 0:
			all = append(all, withoutTime(role, f.Name))
		case f.Since != 0:
			all = append(all, rollup.AddedField{Role: role, Name: f.Name, Since: f.Since,
				WholeFrom: cmp.Or(f.WholeFrom, f.Since)})
		}
	}
	for _, d := range declared {
		if _, ok := find(stored, d.Name); !ok {
			all = append(all, withoutTime(role, d.Name))
		}
	}
	return all
}

// addedPercentiles returns the measures whose percentiles some rows may lack.
func addedPercentiles(stored, declared []storage.FieldConfig) (all rollup.AddedFields) {
	for _, f := range stored {
		if f.Percentiles && f.RemovedAt == 0 && f.PercentilesSince != 0 {
			all = append(all, rollup.AddedField{
				Role: rollup.PercentilesRole, Name: f.Name, Since: f.PercentilesSince,
				WholeFrom: cmp.Or(f.PercentilesWholeFrom, f.PercentilesSince),
			})
		}
	}
	for _, d := range declared {
		if f, ok := find(stored, d.Name); d.Percentiles && (!ok || !f.Percentiles) {
			all = append(all, withoutTime(rollup.PercentilesRole, d.Name))
		}
	}
	return all
}

// addedSteps returns the measures of whose steps some rows may lack the figures.
func addedSteps(stored, declared []storage.FieldConfig) (all rollup.AddedFields) {
	for _, f := range stored {
		if hasSteps(f) && f.RemovedAt == 0 && f.StepsSince != 0 {
			all = append(all, rollup.AddedField{
				Role: rollup.StepsRole, Name: f.Name, Since: f.StepsSince,
				WholeFrom: cmp.Or(f.StepsWholeFrom, f.StepsSince),
			})
		}
	}
	for _, d := range declared {
		if f, ok := find(stored, d.Name); hasSteps(d) && (!ok || !sameSteps(d, f)) {
			all = append(all, withoutTime(rollup.StepsRole, d.Name))
		}
	}
	return all
}

// sameSteps reports whether two declarations of a measure have the same figures of its steps.
func sameSteps(a, b storage.FieldConfig) bool {
	return a.Counter == b.Counter && a.Wrap == b.Wrap && a.TimeMean == b.TimeMean
}

func hasSteps(f storage.FieldConfig) bool { return f.Counter || f.TimeMean }

func withoutTime(role rollup.FieldRole, name string) rollup.AddedField {
	return rollup.AddedField{Role: role, Name: name, Since: model.MaxTime, WholeFrom: model.MaxTime}
}

func find(all []storage.FieldConfig, name string) (storage.FieldConfig, bool) {
	i := slices.IndexFunc(all, func(f storage.FieldConfig) bool { return f.Name == name })
	if i < 0 {
		return storage.FieldConfig{}, false
	}
	return all[i], true
}

// fieldChange applies declared fields.
type fieldChange struct {
	now     model.Time
	version model.Time // of the fields that are added: later than any before
}

// next returns the fields after declared ones are applied. A removed field is kept: its rows are not whole
// when it is declared again, unless that is so soon that every process has folded it all the time.
func (c fieldChange) next(stored, declared []storage.FieldConfig) []storage.FieldConfig {
	for i := range declared {
		d := &declared[i]
		was, found := find(stored, d.Name)
		if !found || was.RemovedAt != 0 && c.now >= was.RemovedAt.Add(Lead/2) {
			d.Since = c.version
			continue
		}
		d.Since, d.WholeFrom = was.Since, was.WholeFrom
		d.PercentilesSince, d.PercentilesWholeFrom = was.PercentilesSince, was.PercentilesWholeFrom
		d.StepsSince, d.StepsWholeFrom = was.StepsSince, was.StepsWholeFrom
		if d.Percentiles && !was.Percentiles {
			d.PercentilesSince, d.PercentilesWholeFrom = c.version, 0
		}
		if hasSteps(*d) && !sameSteps(*d, was) {
			d.StepsSince, d.StepsWholeFrom = c.version, 0
		}
	}
	for _, f := range stored {
		if _, found := find(declared, f.Name); found {
			continue
		}
		f.RemovedAt = cmp.Or(f.RemovedAt, c.now)
		declared = append(declared, f)
	}
	return sorted(declared)
}

// Reshaped records from when added fields are whole, if that is earlier than what is stored
// and the field was not added again meanwhile.
func (a *Applier) Reshaped(ctx context.Context, kind string, fields rollup.AddedFields) (Applied, error) {
	return a.change(ctx, kind, func(stored *storage.KindConfig) (storage.KindConfig, model.Time, error) {
		if stored == nil {
			return storage.KindConfig{}, 0, fmt.Errorf("the table has no configuration of kind %s", kind)
		}
		return reshaped(*stored, fields), a.Now(), nil
	})
}

func reshaped(c storage.KindConfig, fields rollup.AddedFields) storage.KindConfig {
	c.Measures = slices.Clone(c.Measures)
	c.Dimensions = slices.Clone(c.Dimensions)
	c.Distinct = slices.Clone(c.Distinct)
	for role, all := range map[rollup.FieldRole][]storage.FieldConfig{
		rollup.MeasureRole: c.Measures, rollup.DimensionRole: c.Dimensions, rollup.DistinctRole: c.Distinct,
	} {
		for i := range all {
			at := &all[i]
			at.WholeFrom = earlier(at.Since, at.WholeFrom, fields, role, at.Name)
			at.PercentilesWholeFrom = earlier(at.PercentilesSince, at.PercentilesWholeFrom, fields,
				rollup.PercentilesRole, at.Name)
			at.StepsWholeFrom = earlier(at.StepsSince, at.StepsWholeFrom, fields, rollup.StepsRole, at.Name)
		}
	}
	return c
}

// earlier returns when a field is whole after fields were reshaped.
func earlier(since, wholeFrom model.Time, fields rollup.AddedFields, role rollup.FieldRole,
	name string) model.Time {
	f, ok := fields.Find(role, name)
	if since == 0 || !ok || f.Since != since || f.WholeFrom >= cmp.Or(wholeFrom, since) {
		return wholeFrom
	}
	return f.WholeFrom
}

func measureFields(k *catalog.Kind) []storage.FieldConfig {
	return storedFields(k.Measures, func(m rollup.MeasureSpec) storage.FieldConfig {
		return storage.FieldConfig{
			Name: m.Name, Scale: m.Scale, Percentiles: m.Percentiles, Counter: m.Counter, Wrap: m.Wrap,
			TimeMean: m.TimeMean, Unit: m.Unit, Goal: encodeGoal(k, m.Name),
		}
	})
}

func dimensionFields(k *catalog.Kind) []storage.FieldConfig {
	return storedFields(k.Dimensions, func(d rollup.DimensionSpec) storage.FieldConfig {
		f := storage.FieldConfig{Name: d.Name, Top: d.Top, Detail: d.Detail}
		if d.IsPair() {
			f.Of = d.Of[:]
		}
		return f
	})
}

func distinctFields(k *catalog.Kind) []storage.FieldConfig {
	return storedFields(k.Distinct, func(name string) storage.FieldConfig {
		return storage.FieldConfig{Name: name}
	})
}

// storedFields returns the stored form of each declared field, sorted by name; nil if there is none.
func storedFields[T any](declared []T, stored func(T) storage.FieldConfig) []storage.FieldConfig {
	if len(declared) == 0 {
		return nil
	}
	return sorted(lists.Map(declared, stored))
}

func sorted(all []storage.FieldConfig) []storage.FieldConfig {
	slices.SortFunc(all, func(a, b storage.FieldConfig) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
