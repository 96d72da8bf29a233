package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const rebuildLong = `Look again at every bucket of a range, as aggregate does when a change comes: each
rollup is folded anew from the tier below, finest tier first, and written on condition
that nobody else wrote it. It is safe at any time, twice, and beside live traffic.

Buckets are found by their events and by their rows, so that a row without events is
mended too. A row is sealed when some of what it was folded from has expired: nobody
can fold it again, and it is left as it is. --mark sealed says of such rows that they
may miss a change (exact: false); --mark every says so of all rows of the finest tier,
for when events of the range have expired unseen.

--tier day takes the hours as they stand and folds days and coarser tiers. --gap mends
what arrived in a range of time, whatever its event time: the table is scanned, and
only buckets whose digest is not that of their events are looked at. "--gap recorded"
does so for the gaps that "tidemark gap" names, and forgets them.

A look takes some 4 read units and 3 write units; finding the buckets takes a read
unit each, finding all series, or a gap, reads the whole table once.

Exit status: 0 done; 1 a dry run found rows that would change; 2 asked wrongly; 3
could not be done: --resume goes on where it stopped.`

const rebuildExample = `  tidemark rebuild devices/sensor_01 --from 2026-04-01 --to 2026-05-01
  tidemark rebuild --all --dry-run
  tidemark rebuild --all --rate 200 --resume rebuild.json
  tidemark rebuild --gap 2026-04-20T09:00:00Z..2026-04-21T12:00:00Z`

type rebuildFlags struct {
	scopeFlags
	gap, mark, resume              string
	all, dryRun, rewriteUnreadable bool
	rate                           float64
}

func rebuildCommand(to *connection) *cobra.Command {
	var flags rebuildFlags
	cmd := &cobra.Command{
		Use:     "rebuild [SUBJECT]",
		Short:   "Look again at every bucket of a range",
		Long:    rebuildLong,
		Example: rebuildExample,
		Args:    asUsage(cobra.MaximumNArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return rebuild(cmd, to, flags, args) },
	}
	flags.scopeFlags.register(cmd)
	cmd.Flags().StringVar(&flags.tier, "tier", "", "finest `tier` to look at, folded from the tier below as it stands; without it, from the events")
	cmd.Flags().BoolVar(&flags.all, "all", false, "every subject")
	cmd.Flags().StringVar(&flags.gap, "gap", "", "what arrived in a `range`, FROM..TO, or recorded")
	cmd.Flags().StringVar(&flags.mark, "mark", "", "mark `rows` exact: false: sealed or every")
	cmd.Flags().BoolVar(&flags.rewriteUnreadable, "rewrite-unreadable", false, "fold rows anew that cannot be decoded; those of which events may have expired are marked")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "write nothing, name the rows that would change")
	cmd.Flags().Float64Var(&flags.rate, "rate", 0, "most `looks` a second; 0 sets no limit")
	cmd.Flags().StringVar(&flags.resume, "resume", "", "keep in `file` how far the rebuild is, and go on from there")
	return cmd
}

var manners = map[string]aggregate.Manner{
	"": aggregate.SpareSealed, "sealed": aggregate.MarkSealed, "every": aggregate.MarkEvery,
}

func rebuild(cmd *cobra.Command, to *connection, flags rebuildFlags, args []string) error {
	if err := flags.check(args); err != nil {
		return err
	}
	table, kinds, agg, err := openRepair(cmd, to)
	if err != nil {
		return err
	}
	if flags.gap != "" {
		return rebuildGap(cmd, table, kinds, agg, flags)
	}
	what, err := flags.parse(kinds, args)
	if err != nil {
		return err
	}
	at, err := openCheckpoint(flags.resume, checkpointOf(table.Name(), args, flags))
	if err != nil {
		return err
	}
	all, err := seriesOf(cmd.Context(), table, kinds, what.subject)
	if err != nil {
		return fmt.Errorf("find the series of table %s: %w", table.Name(), err)
	}
	r := &rebuilder{agg: agg, kinds: kinds, scope: what, flags: flags, told: newTold(), began: time.Now(),
		progress: newProgress(cmd.ErrOrStderr(), "rebuild", "looks", 0)}
	err = r.run(cmd.Context(), at.rest(all), at)
	r.progress.done()
	r.print(cmd.OutOrStdout(), flags.dryRun)
	if err == nil {
		err = at.remove()
	}
	return r.verdict(err, flags.dryRun)
}

func (f *rebuildFlags) check(args []string) error {
	ways := 0
	for _, given := range []bool{len(args) > 0, f.all, f.gap != ""} {
		if given {
			ways++
		}
	}
	_, known := manners[f.mark]
	switch {
	case ways != 1:
		return usagef("rebuild what? want one of: a subject, as devices/sensor_01; --all; --gap FROM..TO")
	case !known:
		return usagef("--mark %s: want sealed or every", f.mark)
	case f.rate < 0:
		return usagef("--rate %v: want looks a second, above 0", f.rate)
	case f.gap != "" && (f.from != "" || f.to != "" || f.tier != "" || f.mark != "" || f.resume != ""):
		return usagef("--gap: goes by arrival and finds its own buckets: leave --from, --to, --tier, --mark and --resume out")
	}
	return nil
}

// terms are what the flags ask of each look.
func (f *rebuildFlags) terms(told *told) aggregate.Terms {
	return aggregate.Terms{Manner: manners[f.mark], DryRun: f.dryRun, ReplaceDamaged: f.rewriteUnreadable, Found: told.take}
}

// rebuilder goes through series one by one.
type rebuilder struct {
	agg      *aggregate.Aggregator
	kinds    *catalog.Catalog
	scope    scope
	flags    rebuildFlags
	told     *told
	progress progress
	began    time.Time

	series int
	aggregate.Report
}

func (r *rebuilder) run(ctx context.Context, all []model.Series, at *checkpoint) error {
	for i, s := range all {
		if _, known := r.kinds.Kind(s.Kind); !known {
			return usagef("%s: its kind is not declared: name its tidemark.yaml by --config", s)
		}
		next := aggregate.Rebuild{
			Series: s, From: r.scope.asked.from, To: r.scope.asked.to, Tier: r.scope.tier,
			Rate: r.flags.rate, Terms: r.flags.terms(r.told),
		}
		if reached, ok := at.within(s); ok && i == 0 {
			next.From, next.Resumed = max(next.From, reached), true
		}
		if err := r.one(ctx, next, at); err != nil {
			return err
		}
	}
	return nil
}

// one rebuilds a series and keeps how far it is.
func (r *rebuilder) one(ctx context.Context, next aggregate.Rebuild, at *checkpoint) error {
	looks := 0
	var unsaved error
	next.Reached = func(reached model.Time, sofar aggregate.Counts) {
		r.progress.add(sofar.Looks - looks)
		looks = sofar.Looks
		if err := at.reach(next.Series, reached, false); err != nil {
			unsaved = err
		}
	}
	report, err := r.agg.Rebuild(ctx, next)
	r.progress.add(report.Looks - looks)
	r.Counts.Add(&report.Counts)
	r.Failures = append(r.Failures, report.Failures...)
	r.series++
	if err == nil {
		err = unsaved
	}
	if err == nil {
		err = at.reach(next.Series, model.MaxTime, true)
	}
	return err
}
