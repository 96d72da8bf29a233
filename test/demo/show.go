package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/test/loggers"
)

// show prints the number of rows in each tier, and a plot of one month of a device.
func show(ctx context.Context, rig *loggers.Rig, rows []rollup.Row) error {
	fmt.Println()
	policy, counts := rig.Config.Retention, map[string]int{}
	for i := range rows {
		counts[rows[i].Key.Tier]++
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "tier\tkept\trows\t")
	fmt.Fprintf(table, "raw\t%s\t\t\n", kept(policy.Raw))
	for _, t := range policy.Tiers {
		fmt.Fprintf(table, "%s\t%s\t%d\t\n", t.Unit, kept(t.Retention), counts[t.Unit.String()])
	}
	table.Flush()
	fmt.Println("\n$ tidemark rollups devices/gwi_w_411 --stream air_temp_c --tier day --from 2024-07-01 --to 2024-08-01 --plot always")
	err := rig.Tidemark(ctx, os.Stdout, "rollups", "devices/gwi_w_411", "--stream", "air_temp_c",
		"--tier", "day", "--from", "2024-07-01", "--to", "2024-08-01", "--plot", "always")
	if err != nil {
		return err
	}
	fmt.Println()
	loggers.PrintDelivery(os.Stdout, rig.Stack.Stats())
	return nil
}

func kept(d time.Duration) string {
	if d == tier.Forever {
		return "for ever"
	}
	return fmt.Sprintf("%d d", d/tier.Day24)
}
