package main

import (
	"context"
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
		span := lifecycle.Span{Series: series, From: from, To: until}
		if cmd.Flags().Changed("id") {
			span.ID = &f.id
		}
		done, err := f.eraseSpan(cmd.Context(), purger, table, span)
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

func (f *purgeFlags) eraseSpan(ctx context.Context, purger *lifecycle.Purger, table lifecycle.Events, span lifecycle.Span) (lifecycle.Erased, error) {
	if f.dryRun {
		table = counting{table}
	}
	return purger.EraseSpan(ctx, table, span)
}

// counting deletes nothing.
type counting struct{ table lifecycle.Events }

func (c counting) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	return c.table.Events(ctx, r)
}

func (counting) DeleteEvent(context.Context, model.EventKey, model.Time) (model.Answer, error) {
	return model.Written, nil
}
