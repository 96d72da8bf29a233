package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/adopt"
	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

type adoptFlags struct {
	restored, noVerify bool
	stage              string
}

func adoptCommand(to *connection) *cobra.Command {
	var flags adoptFlags
	cmd := &cobra.Command{
		Use:  "adopt",
		RunE: func(cmd *cobra.Command, _ []string) error { return runAdopt(cmd, to, flags) },
	}
	cmd.Flags().BoolVar(&flags.restored, "restored", false, "confirm that the table was restored from a backup (required)")
	cmd.Flags().BoolVar(&flags.noVerify, "no-verify", false, "do not verify at the end")
	cmd.Flags().StringVar(&flags.stage, "stage", "", "`stage` of tidemark.yaml that will use the table: protect and tag it for the stage")
	return cmd
}

func runAdopt(cmd *cobra.Command, to *connection, flags adoptFlags) error {
	ctx, began := cmd.Context(), time.Now()
	if !flags.restored {
		return usagef("pass --restored to confirm that the table was restored from a backup")
	}
	stage, err := stageOf(to, flags.stage)
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
	fmt.Fprintf(out, "took %s\nTo use the table, write this in tidemark.yaml and run make deploy:\n\nstages:\n  %s:\n    table: %s\n",
		time.Since(began).Round(time.Second), cmp.Or(stage.Name, "STAGE"), stage.Table)
	return err
}

// stageOf returns a stage of the configuration by name; without a name, one that has none.
func stageOf(to *connection, name string) (config.Stage, error) {
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
func recomputeRestored(cmd *cobra.Command, table *dynamo.Table, kinds *catalog.Catalog, agg *aggregate.Aggregator) error {
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
		if _, err := repairArrivals(cmd, repairer, []entity.Gap{{From: newest.Add(-adopt.CheckWindow), To: newest}}); err != nil {
			return err
		}
	}
	return nil
}
