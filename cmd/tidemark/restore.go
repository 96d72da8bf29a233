package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/adopt"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

type restoreFlags struct {
	restored, noVerify bool
	stage              string
}

const restoreHelp = `Prepare a table that was restored from a backup

Prepare a table that was restored from a backup, so that a stage can use it. Run it after
the restore and before anything writes to the table. A restore leaves out the table
stream, TTL, point-in-time recovery, protection from deletion and tags, and the backup may
miss changes that had not reached the rollups when it was made.

It enables the table stream and TTL; with --stage also the rest, as the stage has it. It
recomputes every bucket with an event that arrived in the 48 hours before the backup and
every other bucket whose digest is wrong, and ends with "tidemark verify". It prints how
long that took, and the line of tidemark.yaml that puts the table behind the stage. It may
be interrupted and run again.

It reads the whole table: once to find the newest event, once to find wrong buckets, and
twice to verify (--no-verify omits that).

Exit status: 0 the table is ready and every bucket is correct; 1 verify found
differences; 2 wrong usage; 3 failed.

Examples:
  tidemark restore --restored --table tidemark-restored
  tidemark restore --restored --table tidemark-restored --stage prod`

func restoreCommand(to *connection) *cobra.Command {
	var flags restoreFlags
	cmd := &cobra.Command{
		Use:  "restore",
		Long: restoreHelp,
		RunE: func(cmd *cobra.Command, _ []string) error { return runRestore(cmd, to, flags) },
	}
	cmd.Flags().BoolVar(&flags.restored, "restored", false,
		"confirm that the table was restored from a backup (required)")
	cmd.Flags().BoolVar(&flags.noVerify, "no-verify", false, "do not verify at the end")
	cmd.Flags().StringVar(&flags.stage, "stage", "",
		"`stage` of tidemark.yaml that will use the table: protect and tag it for the stage")
	return cmd
}

func runRestore(cmd *cobra.Command, to *connection, flags restoreFlags) error {
	ctx, began := cmd.Context(), time.Now()
	if !flags.restored {
		return usagef("pass --restored to confirm that the table was restored from a backup")
	}
	stage, err := findStage(to, flags.stage)
	if err != nil {
		return err
	}
	table, kinds, agg, err := openRepair(cmd, to)
	if err != nil {
		return err
	}
	if stage.Table, err = table.Adopt(ctx); err != nil {
		return err
	}
	if stage.Name != "" {
		client, err := dynamo.NewClient(ctx, to.Region, to.Endpoint)
		if err == nil {
			err = adopt.Protect(ctx, client, table.Name(), stage)
		}
		if err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "table %s has its stream and TTL\n", table.Name())
	if err := recomputeRestored(cmd, table, kinds, agg); err != nil {
		return err
	}
	if !flags.noVerify {
		err = verifyTable(cmd, to, verifyFlags{}, nil)
	}
	fmt.Fprintf(out, "took %s\nTo use the table, write this in tidemark.yaml and "+
		"run make deploy:\n\nstages:\n  %s:\n    table: %s\n",
		time.Since(began).Round(time.Second), cmp.Or(stage.Name, "STAGE"), stage.Table)
	return err
}

// findStage returns a stage of the configuration by name; without a name, one that has none.
func findStage(to *connection, name string) (config.Stage, error) {
	settings, err := to.Settings()
	if err != nil || name == "" {
		return config.Stage{}, err
	}
	i := slices.IndexFunc(settings.Stages, func(s config.Stage) bool { return s.Name == name })
	if i < 0 {
		return config.Stage{}, usagef("--stage %s: there is no such stage in tidemark.yaml", name)
	}
	return settings.Stages[i], nil
}

// recomputeRestored recomputes what may have been incomplete at the time of the backup.
func recomputeRestored(cmd *cobra.Command, table *dynamo.Table, kinds *catalog.Catalog,
	agg *aggregate.Aggregator) error {
	ctx := cmd.Context()
	newest, err := adopt.NewestArrival(ctx, table)
	if err != nil {
		return fmt.Errorf("find the newest event of table %s: %w", table.Name(), err)
	}
	// The stored progress is about the stream of the table that was backed up.
	if err := table.DeleteItem(ctx, tablekeys.StreamProgress()); err != nil {
		return fmt.Errorf("delete the stream progress of table %s: %w", table.Name(), err)
	}
	if newest != 0 {
		repairer := &repair.Repairer{Table: table, Catalog: kinds, Aggregator: agg}
		if _, err := repairArrivals(cmd, repairer,
			[]storage.Gap{{From: newest.Add(-adopt.CheckWindow), To: newest}}); err != nil {
			return err
		}
	}
	return nil
}
