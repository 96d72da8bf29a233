package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local/stack"
)

const devMappingHelp = `Disable or enable the mapping of the dev that runs here

Disable the event source mapping that passes the table stream to aggregate, as an operator or
a deployment does in AWS, and see what readers get: events are stored and not processed, and
"processed through" stands. Move the clock meanwhile to make an outage of hours: records that
are older than 24 hours are lost, and enabling the mapping again records the gap. Without an
argument the command prints whether the mapping is enabled.

Examples:
  tidemark dev mapping off
  tidemark clock +30h
  tidemark dev mapping on
  tidemark dev mapping`

func devMappingCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use:  "mapping [on|off]",
		Long: devMappingHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			var change any
			if len(args) > 0 {
				if args[0] != "on" && args[0] != "off" {
					return usagef("%q: want on or off", args[0])
				}
				change = stack.MappingState{Enabled: args[0] == "on"}
			}
			now, err := control[stack.MappingState](cmd, to, stack.PathMapping, change,
				"the mapping of a deployment is disabled in AWS. Start one with: tidemark dev")
			if err != nil {
				return err
			}
			text := "the mapping is enabled"
			if !now.Enabled {
				text = "the mapping is disabled: events are stored, and not processed until " +
					"tidemark dev mapping on"
			}
			fmt.Fprintln(cmd.OutOrStdout(), text)
			return nil
		},
	}
}
