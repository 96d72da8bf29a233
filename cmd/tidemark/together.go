package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// openTogether is the rollups that an argument like sites/my-site names, of the kinds
// of --kind or, where it says none, of all kinds of the subject merged.
func (f *seriesFlags) openTogether(ctx context.Context, to *connection, subject string) (query.Rollups, *query.Service, error) {
	table, err := to.openTable(ctx)
	if err != nil {
		return query.Rollups{}, nil, err
	}
	kinds, err := to.catalog()
	if err != nil {
		return query.Rollups{}, nil, err
	}
	found, id, err := f.findAll(kinds, subject)
	if err != nil {
		return query.Rollups{}, nil, err
	}
	q := query.Rollups{
		Series: query.Series{Kind: found[0], Subject: id, Stream: f.stream}, With: found[1:],
		Consistent: f.consistent,
	}
	now := func() model.Time { return model.TimeOf(time.Now()) }
	return q, &query.Service{Store: table, Now: now}, nil
}

// findAll is the kinds asked for, in order of declaration, and the subject's id.
func (f *seriesFlags) findAll(kinds *catalog.Catalog, subject string) ([]*catalog.Kind, string, error) {
	path, id, _ := strings.Cut(subject, "/")
	of, ok := kinds.SubjectByPath(path)
	if !ok || id == "" {
		return nil, "", usagef("%q: want a subject as %s", subject, strings.Join(subjectForms(kinds), " or "))
	}
	all := kinds.KindsOf(of)
	if f.kind == "" {
		return all, id, nil
	}
	var found []*catalog.Kind
	for name := range strings.SplitSeq(f.kind, ",") {
		i := slices.IndexFunc(all, func(k *catalog.Kind) bool { return name == k.Name || name == k.Path })
		if i < 0 {
			return nil, "", usagef("--kind %s: %s have %s", name, of.Path, strings.Join(kindNames(all), ", "))
		}
		found = append(found, all[i])
	}
	return found, id, nil
}

func kindNames(kinds []*catalog.Kind) (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

func (f *rangeFlags) registerLast(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.last, "last", 0, "the `span` before now, as 5m or 24h, in place of --from and --to")
}

// buckets is the range of the buckets of a unit that the flags say.
func (f *rangeFlags) buckets(unit tier.Unit, now model.Time) (from, to model.Time, err error) {
	if f.last == 0 {
		return f.parse()
	}
	if f.last < 0 || f.from != "" || f.to != "" {
		return 0, 0, usagef("--last: want a span as 5m or 24h, and neither --from nor --to beside it")
	}
	from, to = query.Last(f.last, unit, now)
	return from, to, nil
}
