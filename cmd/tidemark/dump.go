package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/data/export"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

type dumpFlags struct {
	subject, class string
	limit          int
}

const dumpHelp = `Show stored items, decoded

Show items as they are stored in the table, decoded for reading: the key, then one
attribute a line. Use it to debug, with the table format in docs/inside/TABLE.md.

The items of a subject are sorted by key; the items of the whole table are in no meaningful
order. Expired items that DynamoDB has not removed yet are shown as well.

Exit status: 0 done, even if nothing was found; 2 wrong usage; 3 the table could not be
read.

Examples:
  tidemark dump devices/sensor_01
  tidemark dump --subject devices/sensor_01 --class EVENT
  tidemark dump --class AGG --limit 5`

func dumpCommand(to *connection) *cobra.Command {
	var flags dumpFlags
	cmd := &cobra.Command{
		Use:  "dump [SUBJECT]",
		Long: dumpHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				flags.subject = args[0]
			}
			return dump(cmd, to, flags)
		},
	}
	cmd.Flags().StringVar(&flags.subject, "subject", "", "only this `subject`, the same as the argument")
	cmd.Flags().StringVar(&flags.class, "class", "", "only keys of this `class`: CURRENT, EVENT, AGG, …")
	cmd.Flags().IntVar(&flags.limit, "limit", 100, "the most `items` to show; 0 shows all")
	return cmd
}

func dump(cmd *cobra.Command, to *connection, flags dumpFlags) error {
	table, kinds, err := to.OpenKinds(cmd.Context())
	if err != nil {
		return err
	}
	var subject model.Subject
	if flags.subject != "" {
		if subject, err = arguments.Subject(flags.subject, kinds); err != nil {
			return err
		}
	}
	shown := 0
	var failed error
	err = tablescan.Walk(cmd.Context(), table, kinds, subject, func(it item.Item) bool {
		if !export.HasClass(it.Key(), flags.class) {
			return true
		}
		if shown++; flags.limit > 0 && shown > flags.limit {
			fmt.Fprintf(cmd.ErrOrStderr(), "there are more than %d items: --limit 0 shows all\n", flags.limit)
			return false
		}
		failed = export.WriteItem(cmd.OutOrStdout(), it)
		return failed == nil
	})
	if err != nil {
		return fmt.Errorf("read the items: %w", err)
	}
	if shown == 0 && failed == nil {
		return printNone(cmd,
			"no such items: check the subject, and --class, which is the first word of a key, such as EVENT")
	}
	return failed
}
