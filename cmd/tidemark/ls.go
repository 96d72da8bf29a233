package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/query"
)

func lsCommand(to *connection) *cobra.Command {
	var flags readFlags
	cmd := &cobra.Command{Use: "ls [TYPE[/ID]]"}
	cmd.Flags().StringVar(&flags.output, "output", tableOutput, "output `format`: table, json, ndjson or csv")
	cmd.Flags().IntVar(&flags.limit, "limit", 0, "the most series to list of each type of subject; 0 lists all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return ls(cmd, to, flags, strings.Join(args, ""))
	}
	return cmd
}

func ls(cmd *cobra.Command, to *connection, flags readFlags, what string) error {
	ctx, from, kinds, err := flags.openTable(cmd, to)
	if err != nil {
		return err
	}
	subjects, err := arguments.Subjects(what, kinds)
	if err != nil {
		return err
	}
	var found []entity.ListedSeries
	for _, s := range subjects {
		for l, err := range from.EachSeries(ctx, query.SeriesList{Subject: s, Limit: flags.limit}) {
			if err != nil {
				return readFailure(err)
			}
			found = append(found, l)
		}
	}
	result := httpapi.ListedSubjectsOf(found, "", kinds)
	return flags.print(cmd, from, result, func() error {
		if len(found) == 0 {
			return printNone(cmd, "nothing is listed: a series appears some seconds after its first event")
		}
		return printing.Series(cmd.OutOrStdout(), kinds, found)
	})
}
