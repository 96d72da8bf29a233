package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
)

const latestHelp = `Show the latest state of a series, or of all series with a value

Show the latest item of a series: the fields of its newest event, and the fields that
other programs have added. Use it to see what a device reported last. The latest item
never expires.

With --by, show the latest items of all subjects that have a value of the fields that the
kind declares under latestBy: the devices whose door is open, for example.

Exit status: 0 shown; 1 the series has no latest item; 2 wrong usage; 3 the table could
not be read.

Examples:
  tidemark latest devices/sensor_01
  tidemark latest devices/sensor_01 --stream status --output json
  tidemark latest readings --by open --limit 20`

func latestCommand(to *connection) *cobra.Command {
	var flags readFlags
	cmd := &cobra.Command{Use: "latest SUBJECT | latest KINDS --by VALUE", Long: latestHelp}
	flags.registerSeries(cmd)
	var by []string
	cmd.Flags().StringSliceVar(&by, "by", nil,
		"find series by the `values` of the indexed fields, separated by commas")
	index := cmd.Flags().String("index", "", "the `index` for --by, gsi1 or gsi2; the default is the first")
	cmd.Flags().IntVar(&flags.limit, "limit", 100, "with --by, the most series to show")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(by) > 0 {
			return latestBy(cmd, to, &flags, args[0], query.LatestBy{Index: *index, Values: by, Limit: flags.limit})
		}
		ctx, from, err := flags.open(cmd, to, args[0])
		if err != nil {
			return err
		}
		series, err := from.single()
		if err != nil {
			return err
		}
		latest, err := from.Latest(ctx, series, flags.consistent)
		if err != nil {
			return readFailure(err)
		}
		if latest == nil {
			err := fmt.Errorf("%s has no latest item: check the id and the stream", from.seriesText())
			return &failure{status: exitNo, message: err}
		}
		return flags.print(cmd, from, views.NewLatest(latest), bounds{}, func() error {
			return flags.times.Latest(cmd.OutOrStdout(), latest, from.units())
		})
	}
	return cmd
}

// latestBy shows the latest items of a kind that have given values of indexed fields.
func latestBy(cmd *cobra.Command, to *connection, flags *readFlags, path string, q query.LatestBy) error {
	ctx, from, kinds, err := flags.openTable(cmd, to)
	if err != nil {
		return err
	}
	kind, ok := kinds.ByPath(path)
	if !ok {
		return usagef("%s is not a kind: want its path, such as readings", path)
	}
	q.Kind = kind
	found, err := from.LatestBy(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	shown := views.NewLatestItems(query.LatestPage{Items: found.Items})
	return flags.print(cmd, from, shown, bounds{}, func() error {
		return printing.Cells(cmd.OutOrStdout(), shown.Table())
	})
}
