package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/adopt"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

type adoptFlags struct {
	restored, noVerify         bool
	function, purge, onFailure string
}

func adoptCommand(to *connection) *cobra.Command {
	var flags adoptFlags
	cmd := &cobra.Command{
		Use:  "adopt",
		RunE: func(cmd *cobra.Command, _ []string) error { return runAdopt(cmd, to, flags) },
	}
	cmd.Flags().BoolVar(&flags.restored, "restored", false, "confirm that the table was restored from a backup (required)")
	cmd.Flags().BoolVar(&flags.noVerify, "no-verify", false, "do not verify at the end")
	cmd.Flags().StringVar(&flags.function, "function", "AGGREGATE_FUNCTION", "`name` or ARN of the aggregate function, for its mapping")
	cmd.Flags().StringVar(&flags.purge, "purge-function", "PURGE_FUNCTION", "`name` or ARN of the purge function, for its mapping")
	cmd.Flags().StringVar(&flags.onFailure, "on-failure", "ON_FAILURE_QUEUE_ARN", "`ARN` of the on-failure queue, for both mappings")
	return cmd
}

func runAdopt(cmd *cobra.Command, to *connection, flags adoptFlags) error {
	ctx := cmd.Context()
	if !flags.restored {
		return usagef("pass --restored to confirm that the table was restored from a backup")
	}
	table, kinds, agg, err := openRepair(cmd, to)
	if err != nil {
		return err
	}
	settings, err := to.Settings()
	if err != nil {
		return err
	}
	stream, err := table.Adopt(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "table %s has its stream and TTL\n\n%s\n", table.Name(), adopt.Mapping{Stream: stream, OnFailure: flags.onFailure}.Advice(settings.Mapping, flags.function, flags.purge))
	newest, err := adopt.NewestArrival(ctx, table)
	if err != nil {
		return fmt.Errorf("find the newest event of table %s: %w", table.Name(), err)
	}
	// The stored progress is about the stream of the table that was backed up.
	if err := table.DeleteItem(ctx, tablekeys.StreamProgress()); err != nil {
		return fmt.Errorf("delete the stream progress of table %s: %w", table.Name(), err)
	}
	if newest != 0 {
		repairer := &repair.ArrivalRepairer{Table: table, Catalog: kinds, Aggregator: agg}
		if _, err := repairArrivals(cmd, repairer, []entity.Gap{{From: newest.Add(-adopt.CheckWindow), To: newest}}); err != nil {
			return err
		}
	}
	if flags.noVerify {
		return nil
	}
	return verifyTable(cmd, to, verifyFlags{}, nil)
}
