// Package demo runs Tidemark on real data: it imports field loggers through the deployed functions,
// disturbs the delivery, and compares every bucket with an independent oracle. It fails if a bucket differs.
package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const (
	data   = "test/data/loggers.csv.gz"
	oracle = "test/data/loggers.oracle.csv.gz"
)

// faults disturb the delivery: one batch in five is delivered again, one in five in pieces, and the
// function is killed during and after its work.
var faults = stack.Faults{Seed: 1, Again: 5, Recut: 5, Kills: []stack.Shot{
	{Batch: 8, At: stack.Responding},
	{Batch: 14, At: stack.Running},
}}

// Command returns the program of make demo.
func Command() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Args: cobra.NoArgs,
		Short: "Import loggers through the functions, disturb the delivery, and check every bucket",
		RunE:  func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) },
	}
}

var errDiffers = errors.New("the rollups differ from the oracle")

func run(ctx context.Context) error {
	began := time.Now()
	expects, err := loggers.ReadOracle(oracle)
	if err != nil {
		return err
	}
	rig, err := loggers.StartRig(ctx, loggers.Options{Faults: faults, OnKill: sayKill})
	if err != nil {
		return err
	}
	defer rig.Stop()
	fmt.Printf("The stack started in %s: the table, the deployed functions, the mapping of the table "+
		"stream.\n\n", time.Since(began).Round(100*time.Millisecond))
	if err := load(ctx, rig); err != nil {
		return err
	}
	rows, err := rig.Rows(ctx)
	if err != nil {
		return err
	}
	if err := show(ctx, rig, rows); err != nil {
		return err
	}
	result := loggers.Compare(rows, expects)
	result.Print(os.Stdout)
	fmt.Printf("a function that adds up the same records: wrong in %d of %d\n", rig.Counter.Wrong(expects),
		len(expects))
	if len(result.Wrong) > 0 {
		return errDiffers
	}
	if err := showClosing(ctx, rig); err != nil {
		return err
	}
	fmt.Printf("(%s in total)\n", time.Since(began).Round(time.Second))
	fmt.Print(goOn)
	return nil
}

// load imports the data. Its journal is in a folder of this run: one that an interrupted demo left behind
// would make the next one skip rows.
func load(ctx context.Context, rig *loggers.Rig) error {
	folder, err := os.MkdirTemp("", "tidemark-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	args := []string{"import", "--wait", "--map", loggers.Map, data}
	fmt.Println("$ tidemark", strings.Join(args, " "))
	return rig.Tidemark(ctx, os.Stdout, append(args, "--journal", filepath.Join(folder, "journal.json"))...)
}

func sayKill(d stack.Death) {
	moment := map[stack.Moment]string{
		stack.Running:    "during a batch",
		stack.Responding: "after its last write, before its acknowledgement",
	}[d.At]
	fmt.Fprintf(os.Stderr,
		"\n  SIGKILL: the aggregate function (pid %d) is killed %s; its batch is delivered again\n", d.PID, moment)
}

// goOn suggests the next commands.
const goOn = `
Continue with your own stack:

  bin/tidemark dev --port 8080

and in another terminal, in this folder:

  bin/tidemark send devices/sensor_01 temperature=22.4 humidity=45
  bin/tidemark latest devices/sensor_01
  bin/tidemark rollups devices/sensor_01

Then open http://localhost:8080/ui/ in a browser: it draws what you send.
`

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
	fmt.Println("\n$ tidemark rollups devices/gwi_w_411 --stream air_temp_c --tier day --from 2024-07-01 " +
		"--to 2024-08-01 --plot always")
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
