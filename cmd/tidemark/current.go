package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func currentCommand(to *connection) *cobra.Command {
	var flags readFlags
	cmd := &cobra.Command{
		Use:   "current SUBJECT",
		Short: "Show the latest state of a series",
		Long: `Show the latest state of a series: the fields of its newest event, and what other
writers keep beside them. It never expires.

Exit status: 0 shown; 1 nothing was appended to the series yet; 2 asked wrongly;
3 the table could not be read.`,
		Example: `  tidemark current devices/sensor_01
  tidemark current devices/sensor_01 --stream status --output json`,
		Args: asUsage(cobra.ExactArgs(1)),
	}
	flags.registerSeries(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, from, err := flags.open(cmd, to, args[0])
		if err != nil {
			return err
		}
		series, err := from.one()
		if err != nil {
			return err
		}
		current, err := from.Current(ctx, series, flags.consistent)
		if err != nil {
			return readFailure(err)
		}
		if current == nil {
			return &failure{exitNo, fmt.Errorf("nothing was appended to %s yet: is the id right, and the stream?", series)}
		}
		return flags.show(cmd, from, envelope.CurrentOf(current), func() error { return printCurrent(cmd.OutOrStdout(), current) })
	}
	return cmd
}

func printCurrent(w io.Writer, c *model.Current) error {
	g := newGrid(w)
	g.add("FIELD", "VALUE")
	if c.Ordered {
		g.add("time", c.At.String())
	}
	if c.ID != "" {
		g.add("id", c.ID)
	}
	for _, a := range c.Attrs {
		g.add(a.Name, valueText(a.Value))
	}
	return g.print(w)
}
