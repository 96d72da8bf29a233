package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair/quarantine"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

func quarantineCommand(to *connection) *cobra.Command {
	return group("quarantine", quarantineListCommand(to), quarantineShowCommand(to), quarantineRetryCommand(to))
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
	var lines list
	cmd := &cobra.Command{Use: "list"}
	flags.register(cmd)
	lines.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, _, all, err := openQuarantine(cmd, to, flags, nil)
		if err != nil {
			return err
		}
		cells := printing.QuarantineCells(all)
		return lines.print(cmd, cells, cells, "nothing is in quarantine")
	}
	return cmd
}

func quarantineShowCommand(to *connection) *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{Use: "show ID"}
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

type retryFlags struct {
	quarantineFlags
	kind        string
	all, dryRun bool
}

func quarantineRetryCommand(to *connection) *cobra.Command {
	var flags retryFlags
	cmd := &cobra.Command{Use: "retry [ID…]"}
	flags.register(cmd)
	cmd.Flags().StringVar(&flags.kind, "kind", "", "`kind` of messages that name none (default: the first that is declared)")
	cmd.Flags().BoolVar(&flags.all, "all", false, "all entries that --subject and --source select")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "list the entries, process nothing")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		if (len(ids) > 0) == flags.all {
			return usagef("nothing to retry: pass ids, or --all")
		}
		return retryEntries(cmd, to, flags, ids)
	}
	return cmd
}

func retryEntries(cmd *cobra.Command, to *connection, flags retryFlags, ids []string) error {
	table, kinds, all, err := openQuarantine(cmd, to, flags.quarantineFlags, ids)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if flags.dryRun {
		return printing.Cells(out, printing.QuarantineCells(all))
	}
	retrier, err := newRetrier(to, table, kinds, flags.kind)
	if err != nil {
		return err
	}
	stay := 0
	for i := range all {
		e := &all[i]
		result, err := retrier.Retry(cmd.Context(), e)
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		if err != nil {
			stay++
		}
		fmt.Fprintf(out, "%s %s: %s\n", terminal.Printable(e.Source), terminal.Printable(e.ID), terminal.Printable(printing.RetryText(result, err)))
	}
	fmt.Fprintf(out, "%s processed and removed, %s stay\n", terminal.Grouped(len(all)-stay), terminal.Grouped(stay))
	if stay > 0 {
		return checkFailed
	}
	return nil
}

func newRetrier(to *connection, table *dynamo.Table, kinds *catalog.Catalog, kind string) (*quarantine.Retrier, error) {
	settings, err := to.Settings()
	if err != nil {
		return nil, err
	}
	fallback, err := arguments.Kind(kinds, kind)
	if err != nil {
		return nil, err
	}
	return quarantine.NewRetrier(table, kinds, settings.Limits, fallback.Name, wallClock), nil
}
