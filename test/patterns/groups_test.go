package patterns

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// groupPatterns read the groups of a fleet: which devices are silent is a pattern of profiles.
var groupPatterns = []pattern{
	{
		about: "how many devices each site has",
		call: func(ctx context.Context, w *world) (any, error) {
			page, _, _, err := w.sites.Members(ctx)
			return page, err
		},
		measured: func(ctx context.Context, w *world) (any, error) { return w.countMembers(ctx, true) },
		action:   httpapi.CountSilent, of: "READING_BY_SITE", params: "for=30m&members=true",
		command: "tidemark ls devices --by by-site --silent 30m",
	},
	{
		about: "how many devices of each site are silent",
		call: func(ctx context.Context, w *world) (any, error) {
			page, _, _, err := w.sites.SilentMembers(ctx, 30*time.Minute)
			return page, err
		},
		measured: func(ctx context.Context, w *world) (any, error) { return w.countMembers(ctx, false) },
		action:   httpapi.CountSilent, of: "READING_BY_SITE", params: "for=30m",
	},
	{
		about: "the hottest devices of a site in an hour",
		measured: func(ctx context.Context, w *world) (any, error) {
			q := query.Members{Measure: "temperature", Ranking: rollup.Ranking{By: rollup.ByMax}}
			q.Rollups = query.Rollups{
				Series: w.series("READING_BY_SITE", "berlin"), Unit: tier.Hour,
				From: at(today.Add(12 * time.Hour)), To: at(today.Add(13 * time.Hour)),
			}
			ranks, _, err := w.query.Members(ctx, q)
			return ranks, err
		},
		action: httpapi.ReadMembers, of: "READING_BY_SITE", words: []string{"berlin", "temperature"},
		params: "tier=hour&from=2026-04-20T12:00:00Z&to=2026-04-20T13:00:00Z",
		command: "tidemark top by-site/berlin --members temperature --tier hour " +
			"--from 2026-04-20T12:00:00Z --to 2026-04-20T13:00:00Z",
	},
	{
		about: "what a site used last month",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.sites.Rollups(ctx, timeseries.Key{Subject: "berlin"}, tier.Month, timeseries.In(march, april))
		},
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.Rollups(ctx, query.Rollups{
				Series: w.series("READING_BY_SITE", "berlin"), Unit: tier.Month, From: at(march), To: at(april),
			})
		},
		action: httpapi.ReadRollups, of: "READING_BY_SITE", words: []string{"berlin", "month"},
		params:  "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z",
		command: "tidemark rollups by-site/berlin --tier month --from 2026-03-01 --to 2026-04-01",
	},
}

// countMembers counts the silent members of sites, or all.
func (w *world) countMembers(ctx context.Context, all bool) (any, error) {
	page, err := w.query.Silent(ctx, query.Silent{
		SubjectType: "DEVICE", Kinds: query.CatalogKinds(w.kinds), Through: at(now), For: 30 * time.Minute,
		By: w.series("READING_BY_SITE", "").Kind, Members: all,
	})
	return query.CountSilent(page.Subjects), err
}

// furnish sends a reading of each device of a site, of every other one some minutes ago.
func furnish(ctx context.Context, w *world) error {
	var sent []ingest.TypedObservation
	for i := range 12 {
		when := at(now).Add(-time.Duration(i%2*5+1) * 25 * time.Minute)
		sent = append(sent, ingest.TypedObservation{
			Subject: fmt.Sprintf("meter_%02d", i+1), At: when, Attrs: model.Attrs{
				{Name: "site", Value: model.TextValue("berlin")}, {Name: "temperature", Value: number(int64(10 + i))},
			},
		})
	}
	return w.take(ctx, "READING", sent)
}

// foldSite writes rows of a site, as sweeps do, of an hour with all its members and of a month.
func foldSite(ctx context.Context, w *world, table *memory.Table) error {
	of := w.series("READING_BY_SITE", "berlin")
	series := of.Kind.GroupSeries(of.Subject, model.Series{})
	rows := map[tier.Unit]time.Time{tier.Hour: today.Add(12 * time.Hour), tier.Month: march}
	for unit, start := range rows {
		row := rollup.Row{Key: rollup.Key{Series: series, Tier: unit.String(), Start: at(start)},
			Fold: *rollup.NewFold(of.Kind.Spec()), WrittenAt: at(now), V: item.Version}
		for i := range 12 {
			member := model.Subject{Type: "DEVICE", ID: fmt.Sprintf("meter_%02d", i+1)}
			share := rollup.Row{Key: row.Key, Fold: *rollup.NewFold(of.Kind.Spec()), V: item.Version}
			share.Key.Member = tablekeys.Member(member)
			share.AddEvent(&model.Event{
				Series: model.Series{Subject: member, Kind: "READING"}, Order: model.Order{At: at(start)},
				Attrs: model.Attrs{{Name: "temperature", Value: number(int64(10 + i))}},
			})
			row.AddRow(&share)
		}
		row.Rev = rollup.Rev{1}
		if result, err := table.PutRow(ctx, &row, rollup.Rev{}); err != nil || result != storage.Written {
			return fmt.Errorf("write a row of %s: %v, %w", of, result, err)
		}
	}
	return nil
}
