package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func latestCommand(to *connection) *cobra.Command {
	var flags readFlags
	cmd := &cobra.Command{
		Use:   "latest SUBJECT",
		Short: "Show the latest state of a series",
		Long: `Show the latest item of a series: the fields of its newest event, and the fields that
other programs have added. Use it to see what a device reported last. The latest item
never expires.

Exit status: 0 shown; 1 the series has no latest item; 2 wrong usage; 3 the table could
not be read.`,
		Example: `  tidemark latest devices/sensor_01
  tidemark latest devices/sensor_01 --stream status --output json`,
		Args: asUsage(cobra.ExactArgs(1)),
	}
	flags.registerSeries(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
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
			return &failure{exitNo, fmt.Errorf("%s has no latest item: check the id and the stream", series)}
		}
		return flags.print(cmd, from, httpapi.LatestOf(latest), func() error { return printLatest(cmd.OutOrStdout(), latest) })
	}
	return cmd
}

func printLatest(w io.Writer, c *model.Latest) error {
	table := terminal.NewTable(w)
	table.Add("FIELD", "VALUE")
	if c.Ordered {
		table.Add("time", shownTime(c.Order))
	}
	if c.ID != "" {
		table.Add("id", c.ID)
	}
	for _, a := range c.Attrs {
		table.Add(a.Name, valueText(a.Value))
	}
	return table.Print()
}
