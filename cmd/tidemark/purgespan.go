package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// span removes events of one series, shard by shard.
func (f *purgeFlags) span(cmd *cobra.Command, to *connection, purger *lifecycle.Purger, table *dynamo.Table, subject model.Subject) error {
	kinds, err := to.catalog()
	if err != nil {
		return err
	}
	found, err := kindsOf(kinds, subject, []string{f.kind})
	if err != nil {
		return err
	}
	kind := found[0]
	from, until, err := parseRange(f.from, f.to)
	if err != nil {
		return err
	}
	var all lifecycle.Erased
	for _, series := range kind.ShardsOf(model.Series{Subject: subject, Kind: kind.Name, Stream: f.stream}) {
		span := lifecycle.Span{Series: series, From: from, To: until, DryRun: f.dryRun}
		if cmd.Flags().Changed("id") {
			span.ID = &f.id
		}
		done, err := purger.EraseSpan(cmd.Context(), table, span)
		all.Deleted, all.Expiring = all.Deleted+done.Deleted, all.Expiring+done.Expiring
		if err != nil {
			return err
		}
	}
	verb := "deleted"
	if f.dryRun {
		verb = "would delete"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s %s events; rollups follow within the mapping's window\n", verb, grouped(int(all.Deleted)))
	if all.Expiring > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "%s are left to expire within minutes\n", grouped(int(all.Expiring)))
	}
	return nil
}
