package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
)

type rebuildFlags struct {
	scopeFlags
	gap, fields, mark, resume      string
	all, dryRun, rewriteUnreadable bool
	rate                           float64
}

const rebuildHelp = `Recompute every bucket of a range

Recompute every bucket of a range. Run it when "tidemark verify" finds differences, or
after a change of the configuration. Each rollup is computed from the tier below, the
finest tier first, and written only if no other writer changed it meanwhile: a rebuild is
safe at any time, repeatedly, and during live traffic.

Buckets are found by their events and by their rows, so a row without events is repaired
too. A row is sealed when some of its events have expired: it can no longer be recomputed
and is left as it is. --mark sealed marks such rows exact: false, because they may miss a
change. --mark every marks all rows of the finest tier; use it when events of the range
have expired before they were processed.

--tier day takes the hours as they are and recomputes days and coarser tiers. --gap
repairs what arrived in a range of time, whatever its event time: it scans the table and
recomputes the buckets of these events, and each bucket whose digest differs from its
events'. "--gap recorded" does so for the gaps that "tidemark status" lists, and then removes
them from the list.

--fields recomputes the rollups of a kind that lack a measure, percentiles, a dimension, a distinct
count or a goal, because it was added when they existed already, and records from when each field is
whole. Run it an hour or later after "tidemark config apply"; with --dry-run it computes the rows in
memory, and prints what would change. Rows whose events have expired stay as they are and remain
partial. If it stops, run it again: it continues with the rows that are still partial. It reads every row
of the kind twice.

A recomputation costs about 4 read units and 3 write units; finding a bucket costs one
read unit. With --all or --gap the whole table is read once.

Exit status: 0 done; 1 a dry run found rows that would change, or --fields came too early: run it again
at the time that is printed; 2 wrong usage; 3 failed: --resume continues where it stopped.

Examples:
  tidemark rebuild devices/sensor_01 --from 2026-04-01 --to 2026-05-01
  tidemark rebuild --all --dry-run
  tidemark rebuild --all --rate 200 --resume rebuild.json
  tidemark rebuild --fields READING --dry-run
  tidemark rebuild --gap 2026-04-20T09:00:00Z..2026-04-21T12:00:00Z`

func rebuildCommand(to *connection) *cobra.Command {
	var flags rebuildFlags
	cmd := &cobra.Command{
		Use:  "rebuild [SUBJECT]",
		Long: rebuildHelp,
		RunE: func(cmd *cobra.Command, args []string) error { return rebuild(cmd, to, flags, args) },
	}
	flags.scopeFlags.register(cmd)
	cmd.Flags().StringVar(&flags.tier, "tier", "",
		"finest `tier` to recompute, from the tier below as it is; without it, from the events")
	cmd.Flags().BoolVar(&flags.all, "all", false, "every subject")
	cmd.Flags().StringVar(&flags.gap, "gap", "", "what arrived in a `range`, FROM..TO, or recorded")
	cmd.Flags().StringVar(&flags.fields, "fields", "", "rows of this `kind` that lack an added field")
	cmd.Flags().StringVar(&flags.mark, "mark", "", "which `rows` to mark exact: false: sealed or every")
	cmd.Flags().BoolVar(&flags.rewriteUnreadable, "rewrite-unreadable", false,
		"recompute rows that cannot be decoded; mark them exact: false if events may have expired")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "write nothing, list the rows that would change")
	cmd.Flags().Float64Var(&flags.rate, "rate", 0, "most `recomputations` a second; 0 sets no limit")
	cmd.Flags().StringVar(&flags.resume, "resume", "", "save progress in `file`, and resume from it")
	return cmd
}

var markModes = map[string]aggregate.MarkMode{
	"": aggregate.MarkNone, "sealed": aggregate.MarkSealed, "every": aggregate.MarkAll,
}

func (f *rebuildFlags) check(args []string) error {
	ways := 0
	for _, given := range []bool{len(args) > 0, f.all, f.gap != "", f.fields != ""} {
		if given {
			ways++
		}
	}
	_, known := markModes[f.mark]
	switch {
	case ways != 1:
		return usagef("nothing to rebuild: pass one of: a subject, as devices/sensor_01; --all; --gap FROM..TO; " +
			"--fields KIND")
	case !known:
		return usagef("--mark %s: want sealed or every", f.mark)
	case f.rate < 0:
		return usagef("--rate %v: want recomputations a second, above 0", f.rate)
	case f.fields != "" && (f.from+f.to+f.tier+f.mark+f.resume != "" || f.rewriteUnreadable):
		return usagef("--fields takes the rows that lack a field: omit all flags but --dry-run and --rate")
	case f.gap != "" && (f.from != "" || f.to != "" || f.tier != "" || f.mark != "" || f.resume != ""):
		return usagef("--gap selects buckets by arrival: omit --from, --to, --tier, --mark and --resume")
	}
	return nil
}

// job names everything that decides what the rebuild does, for its checkpoint. The rate
// may change when it is resumed.
func (f *rebuildFlags) job(table string, args []string) string {
	return fmt.Sprintf("table %s, subject %q, all %t, from %q, to %q, tier %q, mark %q, "+
		"rewrite unreadable %t, dry run %t",
		table, strings.Join(args, " "), f.all, f.from, f.to, f.tier, f.mark, f.rewriteUnreadable, f.dryRun)
}

func rebuild(cmd *cobra.Command, to *connection, flags rebuildFlags, args []string) error {
	if err := flags.check(args); err != nil {
		return err
	}
	if flags.fields != "" {
		return reshapeKind(cmd, to, flags)
	}
	table, kinds, agg, err := openRepair(cmd, to)
	if err != nil {
		return err
	}
	repairer := &repair.Repairer{
		Table: table, Catalog: kinds, Aggregator: agg, MaxNotes: printing.MaxDifferences,
		Mark: markModes[flags.mark], DryRun: flags.dryRun, ReplaceDamaged: flags.rewriteUnreadable,
		Rate: flags.rate,
	}
	if flags.gap != "" {
		return rebuildGap(cmd, table, repairer, flags.gap)
	}
	scope, err := flags.parse(kinds, args)
	if err != nil {
		return err
	}
	at, err := repair.OpenCheckpoint(flags.resume, flags.job(table.Name(), args), wallClock)
	if err != nil {
		return usagef("--resume: %w: pass another file", err)
	}
	show, done := showSteps(cmd)
	repairer.Progress = show
	began := time.Now()
	report, err := repairer.Rebuild(cmd.Context(), scope, at)
	done()
	if err == nil || report.Series > 0 {
		printing.Rebuild(cmd.OutOrStdout(), report, flags.dryRun, time.Since(began))
	}
	switch {
	case err != nil:
		return repairError(err)
	case len(report.Failures) > 0:
		return fmt.Errorf("%d buckets were skipped because a newer version wrote them: "+
			"rebuild them with that version", len(report.Failures))
	case flags.dryRun && report.Changed > 0:
		return checkFailed
	}
	return nil
}
