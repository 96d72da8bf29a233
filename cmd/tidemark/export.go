package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/export"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func exportCommand(to *connection) *cobra.Command {
	return group("export", exportRollupsCommand(to), exportEventsCommand(to), exportCheckCommand())
}

func registerExport(f *export.Command, cmd *cobra.Command, format, formats string) {
	cmd.Flags().StringVar(&f.Format, "format", format, "`format`: "+formats)
	cmd.Flags().StringVar(&f.To, "to", "", "write files to this `folder`, or s3://BUCKET/PREFIX")
	cmd.Flags().StringSliceVar(&f.Kinds, "kind", nil, "only this `kind`, by name or plural; may be repeated (default: all)")
	cmd.Flags().BoolVar(&f.Full, "full", false, "with --to: read every day again, also those of complete files")
}

func exportRollupsCommand(to *connection) *cobra.Command {
	var flags export.Command
	cmd := &cobra.Command{Use: "rollups"}
	cmd.Flags().StringVar(&flags.Tier, "tier", export.AllTiers, "`tier`: "+tier.UnitNames()+", or all")
	cmd.Flags().StringVar(&flags.Out, "out", "", "write to this `file` instead of standard output")
	registerExport(&flags, cmd, "csv", "csv or ndjson, with --to also parquet")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runExport(cmd, to, flags, export.RollupRows) }
	return cmd
}

func exportEventsCommand(to *connection) *cobra.Command {
	var flags export.Command
	cmd := &cobra.Command{Use: "events"}
	registerExport(&flags, cmd, "ndjson", "ndjson, csv or parquet")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runExport(cmd, to, flags, export.Events) }
	return cmd
}

func exportCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check FOLDER",
		RunE: func(cmd *cobra.Command, args []string) error {
			ok, err := export.RunCheck(cmd.Context(), args[0], cmd.OutOrStdout())
			if err == nil && !ok {
				err = checkFailed
			}
			return err
		},
	}
}

func runExport(cmd *cobra.Command, to *connection, flags export.Command, dataset export.Dataset) error {
	if err := flags.Check(dataset); err != nil {
		return err
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	return flags.Run(cmd.Context(), dataset, table, kinds, wallClock, cmd.OutOrStdout(), cmd.ErrOrStderr())
}
