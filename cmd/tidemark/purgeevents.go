package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// removeEvents removes events of one series, shard by shard.
func (f *purgeFlags) removeEvents(cmd *cobra.Command, to *connection, purger *lifecycle.Purger, table *dynamo.Table, subject model.Subject) error {
	_, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	found, err := arguments.Kinds(kinds, subject, []string{f.kind})
	if err != nil {
		return err
	}
	kind := found[0]
	from, until, err := arguments.Range(f.from, f.to)
	if err != nil {
		return err
	}
	var total lifecycle.EraseResult
	for _, series := range kind.ShardsOf(model.Series{Subject: subject, Kind: kind.Name, Stream: f.stream}) {
		selection := lifecycle.EventSelection{Series: series, From: from, To: until, DryRun: f.dryRun}
		if cmd.Flags().Changed("id") {
			selection.ID = &f.id
		}
		done, err := purger.EraseEvents(cmd.Context(), table, selection)
		total.Deleted, total.Expiring = total.Deleted+done.Deleted, total.Expiring+done.Expiring
		if err != nil {
			return err
		}
	}
	verb := "deleted"
	if f.dryRun {
		verb = "would delete"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s %s events; the rollups follow within the mapping's window\n", verb, terminal.Grouped(int(total.Deleted)))
	if total.Expiring > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "%s events were not deleted because they expire within minutes\n", terminal.Grouped(int(total.Expiring)))
	}
	return nil
}
