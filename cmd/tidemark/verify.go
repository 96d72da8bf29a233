package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

type verifyFlags struct {
	scopeFlags
	quick, watch bool
	units        float64
	position     string
}

const verifyHelp = `Recount every bucket from its events

Recount every bucket from its events and compare the result with the stored rollup,
byte for byte. Run it to check that the rollups are right. It writes nothing.

Sealed rows are not compared: some of their events have expired, and their numbers no
longer change. Rows that say exact: false are compared like all others. A bucket that
differs is read again. If its row is right without events that have just arrived, and that
are not processed yet, it is counted as such and is no difference. A correction or deletion
is one until it is processed: --watch waits for them.

For each difference it prints the bucket, its numbers and, where the digest identifies
them, the events that are missing in the row. "tidemark rebuild" repairs it.

Rows of groups are recounted from the shares of their members. The shares are compared with
the events of the members, and counted as "hour shares".

--quick compares digests, and recounts only the series in which one is wrong. A digest
shows that an event is missing, removed or changed. It does not show that a row with the
right digest was edited to have wrong numbers, and compares no shares.

It reads each event and row once, eight series at a time. Without a subject it finds the
series by a scan that skips most of their items; with --quick it scans the whole table.

--watch recounts all series one after the other without end, beside live traffic, with at
most --units read units a second, and prints each row that differs for 15 minutes. Each
minute it stores how many rows differ: the metric RowsDiffering, with an alarm.

Exit status: 0 all equal, or nothing to recount; 1 some differ; 2 wrong usage; 3
failed.

Examples:
  tidemark verify
  tidemark verify devices/sensor_01 --from 2026-04-01 --to 2026-05-01
  tidemark verify --quick
  tidemark verify --subject devices/sensor_01 --tier hour
  tidemark verify --watch --units 25 --position watch.json`

func verifyCommand(to *connection) *cobra.Command {
	var flags verifyFlags
	cmd := &cobra.Command{
		Use:  "verify [SUBJECT]",
		Long: verifyHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.watch {
				return watchTable(cmd, to, flags, args)
			}
			return verifyTable(cmd, to, flags, args)
		},
	}
	cmd.Flags().StringVar(&flags.subject, "subject", "",
		"only this `subject`, as devices/sensor_01: the same as the argument")
	cmd.Flags().StringVar(&flags.from, "from", "",
		"first `time` of the range, widened to whole buckets of the coarsest tier")
	cmd.Flags().StringVar(&flags.to, "to", "", "end `time` of the range, widened likewise")
	cmd.Flags().StringVar(&flags.tier, "tier", "", "only rows of this `tier`: "+tier.UnitNames())
	cmd.Flags().BoolVar(&flags.quick, "quick", false,
		"compare digests, recount only the series in which one is wrong")
	cmd.Flags().BoolVar(&flags.watch, "watch", false, "recount all series without end, beside live traffic")
	cmd.Flags().Float64Var(&flags.units, "units", 25, "with --watch: the most read `units` a second")
	cmd.Flags().StringVar(&flags.position, "position", "", "with --watch: a `file` that keeps how far it "+
		"is, to resume there")
	return cmd
}

func verifyTable(cmd *cobra.Command, to *connection, flags verifyFlags, args []string) error {
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	scope, err := flags.parse(kinds, args)
	if err != nil {
		return err
	}
	show, done := showSteps(cmd)
	verifier := &verify.Verifier{
		Store: table, Catalog: kinds, Now: wallClock, Quick: flags.quick,
		MaxExplained: printing.MaxDifferences, Progress: show,
	}
	began := time.Now()
	report, err := verifier.Verify(cmd.Context(), scope)
	done()
	if err != nil {
		return err
	}
	printing.Verify(cmd.OutOrStdout(), report, time.Since(began), wallClock())
	if !report.OK() {
		return checkFailed
	}
	return nil
}
