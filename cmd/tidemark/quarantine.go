package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

const quarantineHelp = `List, show and retry rejected input

Rejected input that has no caller to respond to is kept in the table for 30 days, with
the reason: messages of devices that failed validation, and records of the table stream
whose bucket could not be read. Run these commands when the Quarantined alarm fires.

An entry is kept with its subject if that is known: --subject reads one partition.
Without it the whole table is read.

Examples:
  tidemark quarantine list --source iot
  tidemark quarantine retry --subject devices/sensor_01 --all`

func quarantineCommand(to *connection) *cobra.Command {
	return group("quarantine", quarantineHelp, quarantineListCommand(to), quarantineShowCommand(to), quarantineRetryCommand(to))
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

const quarantineListHelp = `List what is in quarantine, one entry per line

Rejected input that has no caller to respond to is kept in the table for 30 days, with
the reason: messages of devices that failed validation, and records of the table stream
whose bucket could not be read. Run these commands when the Quarantined alarm fires.

An entry is kept with its subject if that is known: --subject reads one partition.
Without it the whole table is read.

Exit status: 0 listed; 2 wrong usage; 3 failed.

Examples:
  tidemark quarantine list
  tidemark quarantine list --subject devices/sensor_01`

func quarantineListCommand(to *connection) *cobra.Command {
	var flags quarantineFlags
	var lines list
	cmd := &cobra.Command{Use: "list", Long: quarantineListHelp}
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

const quarantineShowHelp = `Show one entry with its payload

Show one entry of the quarantine: the reason, every error, and the payload as it
arrived. JSON is indented; what is not text is printed in hexadecimal.

Exit status: 0 shown; 2 wrong usage; 3 failed.

Examples:
  tidemark quarantine show 5f1d4c0c2b8d4f9e --subject devices/sensor_01`

func quarantineShowCommand(to *connection) *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{Use: "show ID", Long: quarantineShowHelp}
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

const quarantineRetryHelp = `Process entries again and remove those that succeed

Process entries of the quarantine again. Run it after you have corrected the
configuration or the code that rejected them: an observation is validated and appended by
the present tidemark.yaml; a record of the table stream is decoded and its buckets are
recomputed. An entry that is processed is removed. An entry that is rejected again stays,
and the present reason is printed. Retrying is always safe: an observation that was
appended before is a duplicate.

Exit status: 0 all processed; 1 some stay; 2 wrong usage; 3 failed.

Examples:
  tidemark quarantine retry 5f1d4c0c2b8d4f9e
  tidemark quarantine retry --all --source iot --kind READING
  tidemark quarantine retry --all --dry-run`

func quarantineRetryCommand(to *connection) *cobra.Command {
	var flags retryFlags
	cmd := &cobra.Command{Use: "retry [ID…]", Long: quarantineRetryHelp}
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
	retrier, err := newRetrier(cmd, to, table, kinds, flags.kind)
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

func newRetrier(
	cmd *cobra.Command, to *connection, table *dynamo.Table, kinds *catalog.Catalog, kind string,
) (*quarantine.Retrier, error) {
	settings, err := to.Settings()
	if err != nil {
		return nil, err
	}
	fallback, err := names.Kind(kinds, kind)
	if err != nil {
		return nil, err
	}
	return quarantine.NewRetrier(
		table, kinds, settings.Limits, fallback.Name, wallClock, cmd.ErrOrStderr()), nil
}
