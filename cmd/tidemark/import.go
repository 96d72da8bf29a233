package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/replay"
)

func importCommand(to *connection) *cobra.Command {
	var flags replayFlags
	var dryRun bool
	var journal string
	cmd := &cobra.Command{
		Use:   "import FILE…|FOLDER|s3://BUCKET/KEY",
		Short: "Load history from files, here or in S3, and continue after interruptions",
		Args:  cobra.MinimumNArgs(1),
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only print the columns, rows, subjects, rejected rows, price and time")
	cmd.Flags().StringVar(&journal, "journal", "", "`path` of the record of progress (default: made from the input, in this folder)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := to.NeedURL(); err != nil && !dryRun {
			return err
		}
		in, err := flags.input(cmd, to)
		if err != nil {
			return err
		}
		settings, err := to.Settings()
		if err != nil {
			return err
		}
		load := replay.Import{Input: in, Sender: flags.sender(to, in.Kind), Limits: settings.Limits, Journal: journal, DryRun: dryRun, Now: wallClock}
		if rejected, err := load.Run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil || rejected == 0 {
			return err
		}
		return checkFailed
	}
	return cmd
}
