package hidevalue

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// step is the events of a series, the shares of a group, or the rows of one of the tiers of a series.
type step struct {
	name       string // orders the steps: events and shares before rows, rows from the finest tier
	series     model.Series
	unit       tier.Unit // of rows, and of the buckets of shares
	shares     bool      // the rows are folded from shares
	changes    bool      // the step changes what it reads, if it is no dry run
	dimensions []string
	page       func(r *run, ctx context.Context, s step, after string) (next string, err error)
}

// steps returns the steps of a selection by name.
func (h *Hider) steps(ctx context.Context, s Selection) (all []step, err error) {
	dimensions := h.dimensions(s)
	if len(dimensions) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoDimension, s.Field)
	}
	stored, err := tablescan.SubjectSeries(ctx, h.Table, h.Catalog, s.Subject)
	if err != nil {
		return nil, fmt.Errorf("find the series: %w", err)
	}
	for _, series := range stored {
		kind, _ := h.Catalog.Kind(series.Kind)
		if kind == nil || len(dimensions[kind.Name]) == 0 {
			continue
		}
		all = append(all, seriesSteps(kind, series, dimensions[kind.Name])...)
	}
	slices.SortFunc(all, func(a, b step) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// seriesSteps returns the steps of a series.
func seriesSteps(kind *catalog.Kind, series model.Series, dimensions []string) (all []step) {
	isGroup := kind.GroupsOf != ""
	if kind.HasEvents() {
		for _, shard := range kind.ShardSeries(series) {
			all = append(all, step{
				name: stepName("events", shard, shard.Shard), series: shard, page: (*run).events,
			})
		}
	}
	for i, t := range kind.Retention.Tiers {
		rows := step{
			name: stepName("rows", series, i), series: series, unit: t.Unit, shares: isGroup && i == 0,
			changes: true, dimensions: dimensions, page: (*run).rows,
		}
		if all = append(all, rows); rows.shares {
			all = append(all, step{
				name: stepName("events", series, 0), series: series, unit: t.Unit, dimensions: dimensions,
				page: (*run).shares,
			})
		}
	}
	return all
}

// whole returns the range of all times, from a position on.
func (s *step) whole(after string) storage.Range {
	return storage.Range{
		Series: s.series, From: model.MinTime, To: model.MaxTime + 1, Consistent: true, After: after,
	}
}

func stepName(class string, s model.Series, n int) string {
	return fmt.Sprintf("%s %s %s %04d", class, s.Kind, s.Stream, n)
}

// dimensions returns the dimensions in which events and their sessions count the field, by kind.
func (h *Hider) dimensions(s Selection) map[string][]string {
	found := map[string][]string{}
	for i := range h.Catalog.Kinds {
		k := &h.Catalog.Kinds[i]
		of := k
		if k.GroupsOf != "" {
			of, _ = h.Catalog.Kind(k.GroupsOf) // of the same catalog
		}
		names := s.fields(of)
		selected := s.Kind == "" || s.Kind == k.Name
		if k.Sessions != nil {
			selected = selected || s.Kind == k.Sessions.Of
			of, _ := h.Catalog.Kind(k.Sessions.Of) // of the same catalog
			names = sessionFields(k.Sessions, s.fields(of))
		}
		if k.Subject.Name != s.Subject.Type || !selected {
			continue
		}
		for _, d := range k.Dimensions {
			pair := func(name string) bool { return slices.Contains(d.Of[:], name) }
			if slices.Contains(names, d.Name) || slices.ContainsFunc(names, pair) {
				found[k.Name] = append(found[k.Name], d.Name)
			}
		}
	}
	return found
}

// fields returns the fields in which events of a kind may have the value.
func (s Selection) fields(k *catalog.Kind) []string {
	if s.property() != "" {
		return k.Properties
	}
	return []string{s.Field}
}

// sessionFields returns the fields of sessions that are copied from fields of their events.
func sessionFields(s *catalog.Sessions, of []string) (names []string) {
	for _, f := range slices.Concat(s.First, s.Last) {
		if slices.Contains(of, f.Of) {
			names = append(names, f.Name)
		}
	}
	return names
}
