package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const gapLong = `Say how far the table stream has been settled, and name the gaps: ranges of time of
which nothing was settled for as long as a table stream remembers (24 h). What changed
in a gap may be in no rollup, unless nothing changed: a table that nobody writes to for
a day shows one too. "tidemark rebuild --gap recorded" looks, mends what needs it, and
forgets the gaps; --dry-run only looks.

It reads one partition: a read unit.

Exit status: 0 no gap; 1 there are some, or nothing has been settled for 23 hours; 2
asked wrongly; 3 could not be done.`

func gapCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use:     "gap",
		Short:   "Name gaps in the table stream that nobody settled in time",
		Long:    gapLong,
		Example: "  tidemark gap\n  tidemark rebuild --gap recorded --dry-run",
		Args:    asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			table, err := to.openTable(cmd.Context())
			if err != nil {
				return err
			}
			told, err := readMarks(cmd.Context(), table)
			if err != nil {
				return fmt.Errorf("read the watermark of table %s: %w", table.Name(), err)
			}
			return told.print(cmd.OutOrStdout(), wallClock())
		},
	}
}

// marks is what aggregate keeps of how far the table stream was settled.
type marks struct {
	settled model.Time // 0: nothing was yet
	gaps    []model.Gap
}

func readMarks(ctx context.Context, table *dynamo.Table) (m marks, err error) {
	_, err = walkPages(func(after keys.Key) ([]item.Item, keys.Key, error) {
		return table.Partition(ctx, keys.JobAggregate, after)
	}, func(it item.Item) bool {
		if at, err := item.Watermark(it); err == nil {
			m.settled = at
		}
		if g, err := item.Gap(it); err == nil {
			m.gaps = append(m.gaps, g)
		}
		return true
	})
	return m, err
}

func (m marks) print(w io.Writer, now model.Time) error {
	if m.settled == 0 && len(m.gaps) == 0 {
		fmt.Fprintln(w, "nothing has been settled yet: aggregate keeps a watermark from its first batch on")
		return nil
	}
	long := false
	if m.settled != 0 {
		still := now.Sub(m.settled)
		fmt.Fprintf(w, "settled up to %s (%s ago)\n", m.settled, still.Round(time.Second))
		long = still > aggregate.StreamRetention-time.Hour
	}
	for _, g := range m.gaps {
		fmt.Fprintf(w, "gap: %s..%s (%s)\n", g.From, g.To, g.To.Sub(g.From).Round(time.Second))
	}
	if long {
		fmt.Fprintln(w, "nothing has been settled since: is the mapping enabled? Where nothing was written either, all is well")
	}
	if long || len(m.gaps) > 0 {
		fmt.Fprintln(w, "see what it means, writing nothing: tidemark rebuild --gap recorded --dry-run")
		return checkFailed
	}
	return nil
}

// arrivalSlack is how far an event's arrival, by the door's clock, may lie from its
// change, by the table's: retries of the door, rounding, and clocks.
const arrivalSlack = 5 * time.Minute

// arrivedIn picks events that arrived in one of the ranges.
func arrivedIn(gaps []model.Gap) func(*model.Event) bool {
	return func(e *model.Event) bool {
		for _, g := range gaps {
			if g.From.Add(-arrivalSlack) <= e.ArrivedAt && e.ArrivedAt <= g.To.Add(arrivalSlack) {
				return true
			}
		}
		return false
	}
}

// rebuildGap mends what changed in a range of arrival.
func rebuildGap(cmd *cobra.Command, table *dynamo.Table, kinds *catalog.Catalog, agg *aggregate.Aggregator, flags rebuildFlags) error {
	ctx := cmd.Context()
	kept, err := readMarks(ctx, table)
	if err != nil {
		return fmt.Errorf("read the gaps of table %s: %w", table.Name(), err)
	}
	gaps, err := gapsAsked(flags.gap, kept)
	if err != nil {
		return err
	}
	if len(gaps) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no gap is recorded")
		return nil
	}
	m := mender{table: table, kinds: kinds, agg: agg, terms: flags.terms(newTold()), rate: flags.rate, cmd: cmd}
	if err := m.mend(ctx, gaps); err != nil {
		return err
	}
	for _, g := range kept.gaps {
		if !flags.dryRun && covered(g, gaps) {
			if err := table.DeleteItem(ctx, keys.Gap(g.From)); err != nil {
				return fmt.Errorf("forget the gap from %s: %w", g.From, err)
			}
		}
	}
	if flags.dryRun && m.changed > 0 {
		return checkFailed
	}
	return nil
}

// gapsAsked reads FROM..TO, or recorded: those that are kept, and the time since the
// watermark where that has stood still for long.
func gapsAsked(text string, kept marks) ([]model.Gap, error) {
	if text == "recorded" {
		gaps := kept.gaps
		if now := wallClock(); kept.settled != 0 && now.Sub(kept.settled) > aggregate.StreamRetention-time.Hour {
			gaps = append(gaps, model.Gap{From: kept.settled, To: now})
		}
		return gaps, nil
	}
	from, to, ok := strings.Cut(text, "..")
	if !ok || from == "" || to == "" {
		return nil, usagef("--gap %q: want FROM..TO, as 2026-04-20T09:00:00Z..2026-04-21T12:00:00Z, or recorded", text)
	}
	var g model.Gap
	var err error
	if g.From, err = parseWhen("gap", from, 0); err != nil {
		return nil, err
	}
	if g.To, err = parseWhen("gap", to, 0); err != nil {
		return nil, err
	}
	if g.From >= g.To {
		return nil, usagef("--gap %s: it ends before it begins", text)
	}
	return []model.Gap{g}, nil
}

func covered(g model.Gap, by []model.Gap) bool {
	for _, b := range by {
		if b.From <= g.From && g.To <= b.To {
			return true
		}
	}
	return false
}
