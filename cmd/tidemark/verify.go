package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const verifyLong = `Recount every bucket from its events and compare the result with the stored rollup,
byte for byte. Run it to check that the rollups are right. It writes nothing.

Sealed rows are not compared: some of their events have expired, and their numbers no
longer change. Rows that say exact: false are compared like all others. While events
arrive, a bucket may differ until aggregate has processed them: verify an idle stack
("tidemark replay --wait").

For each difference it prints the bucket, its numbers and, where the digest identifies
them, the events that are missing in the row. "tidemark rebuild" repairs it.

--quick compares digests, and recounts only the series in which one is wrong. A digest
shows that an event is missing, removed or changed. It does not show that a row with the
right digest was edited to have wrong numbers.

It reads each event and row once; without a subject, the whole table twice (with --quick,
once).

Exit status: 0 all equal, or nothing to recount; 1 some differ; 2 wrong usage; 3
failed.`

const verifyExample = `  tidemark verify
  tidemark verify devices/sensor_01 --from 2026-04-01 --to 2026-05-01
  tidemark verify --quick
  tidemark verify --subject devices/sensor_01 --tier hour`

type verifyFlags struct {
	scopeFlags
	quick bool
}

func verifyCommand(to *connection) *cobra.Command {
	var flags verifyFlags
	cmd := &cobra.Command{
		Use:     "verify [SUBJECT]",
		Short:   "Recount every bucket from its events",
		Long:    verifyLong,
		Example: verifyExample,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyTable(cmd, to, flags, args)
		},
	}
	cmd.Flags().StringVar(&flags.subject, "subject", "", "only this `subject`, as devices/sensor_01: the same as the argument")
	cmd.Flags().StringVar(&flags.from, "from", "", "first `time` of the range, widened to whole buckets of the coarsest tier")
	cmd.Flags().StringVar(&flags.to, "to", "", "end `time` of the range, widened likewise")
	cmd.Flags().StringVar(&flags.tier, "tier", "", "only rows of this `tier`: "+tier.UnitNames())
	cmd.Flags().BoolVar(&flags.quick, "quick", false, "compare digests, recount only the series in which one is wrong")
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
	printing.Verify(cmd.OutOrStdout(), report, time.Since(began))
	if !report.OK() {
		return checkFailed
	}
	return nil
}
