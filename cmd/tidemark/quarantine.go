package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair/quarantine"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

const quarantineLong = `Rejected input that has no caller to respond to is kept in the table for 30 days, with
the reason: messages of devices that failed validation, and records of the table stream
whose bucket could not be read. Run these commands when the Quarantined alarm fires.

An entry is kept with its subject if that is known: --subject reads one partition.
Without it the whole table is read.`

func quarantineCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "quarantine",
		Short:   "List, show and retry rejected input",
		Long:    quarantineLong,
		Example: "  tidemark quarantine list --source iot\n  tidemark quarantine retry --subject devices/sensor_01 --all",
		RunE:    showHelp,
	}
	cmd.AddCommand(quarantineListCommand(to), quarantineShowCommand(to), quarantineRetryCommand(to))
	return cmd
}

// quarantineFlags select entries.
type quarantineFlags struct{ subject, source string }

func (f *quarantineFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.subject, "subject", "", "only entries of this `subject`, as devices/sensor_01")
	cmd.Flags().StringVar(&f.source, "source", "", "only entries from this `source`: iot, sqs, kinesis, stream")
}

// openQuarantine returns the selected entries; ids, if there are any, select among them.
func openQuarantine(cmd *cobra.Command, to *connection, f quarantineFlags, ids []string) (*dynamo.Table, *catalog.Catalog, []quarantine.Entry, error) {
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return nil, nil, nil, err
	}
	filter := quarantine.Filter{Source: f.source}
	if f.subject != "" {
		if filter.Subject, err = arguments.Subject(f.subject, kinds); err != nil {
			return nil, nil, nil, err
		}
	}
	all, err := quarantine.List(cmd.Context(), table, kinds, filter)
	if err == nil && len(ids) > 0 {
		all, err = quarantine.Select(all, ids)
	}
	if missing := (*quarantine.NotFoundError)(nil); errors.As(err, &missing) {
		err = usagef("%w: see tidemark quarantine list", err)
	}
	return table, kinds, all, err
}

func quarantineListCommand(to *connection) *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is in quarantine, one entry per line",
		Long: quarantineLong + `

Exit status: 0 listed; 2 wrong usage; 3 failed.`,
		Example: "  tidemark quarantine list\n  tidemark quarantine list --subject devices/sensor_01",
	}
	flags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, _, all, err := openQuarantine(cmd, to, flags, nil)
		if err != nil {
			return err
		}
		return printing.Quarantine(cmd.OutOrStdout(), all)
	}
	return cmd
}

func quarantineShowCommand(to *connection) *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one entry with its payload",
		Long: `Show one entry of the quarantine: the reason, every error, and the payload as it
arrived. JSON is indented; what is not text is printed in hexadecimal.

Exit status: 0 shown; 2 wrong usage; 3 failed.`,
		Example: "  tidemark quarantine show 5f1d4c0c2b8d4f9e --subject devices/sensor_01",
		Args:    cobra.ExactArgs(1),
	}
	flags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		_, _, all, err := openQuarantine(cmd, to, flags, ids)
		if err != nil {
			return err
		}
		printing.QuarantineEntry(cmd.OutOrStdout(), &all[0])
		return nil
	}
	return cmd
}
