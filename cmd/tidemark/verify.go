package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

type verifyFlags struct {
	scopeFlags
	quick bool
}

func verifyCommand(to *connection) *cobra.Command {
	var flags verifyFlags
	cmd := &cobra.Command{
		Use: "verify [SUBJECT]",
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
