package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/internal/usertime"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// purgeFlags say what to remove, and how.
type purgeFlags struct {
	kind, stream, from, to string
	dryRun, yes, callOff   bool
	after                  usertime.Span
	rate                   int
	id                     string
}

func purgeCommand(to *connection) *cobra.Command {
	var flags purgeFlags
	cmd := &cobra.Command{
		Use:  "purge SUBJECT",
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, to, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&flags.dryRun, "dry-run", false, "count what would be removed, and remove nothing")
	f.BoolVar(&flags.yes, "yes", false, "remove it")
	f.BoolVar(&flags.callOff, "call-off", false, "cancel a purge that has not begun")
	f.Var(&flags.after, "after", "begin after this `duration`, such as 72h; the purge function does the work")
	f.IntVar(&flags.rate, "rate", 500, "the most `items` to remove a second; 0 sets no limit")
	f.StringVar(&flags.kind, "kind", "", "remove only events of this `kind`, such as readings")
	f.StringVar(&flags.stream, "stream", "", "`stream` of the series (default: events without a stream)")
	f.StringVar(&flags.from, "from", "", "`time` at which the range begins, such as 2026-11-01 or 2026-11-01T14:00:00Z")
	f.StringVar(&flags.to, "to", "", "`time` before which the range ends")
	f.StringVar(&flags.id, "id", "", "only events with this `id`")
	return cmd
}

func (f *purgeFlags) run(cmd *cobra.Command, to *connection, text string) error {
	given := 0
	for _, set := range []bool{f.dryRun, f.yes, f.callOff} {
		if set {
			given++
		}
	}
	events := f.kind != "" || f.stream != "" || f.from != "" || f.to != "" || f.id != ""
	switch {
	case given != 1:
		return usagef("pass one of --dry-run, --yes and --call-off")
	case events && f.callOff, events && f.after > 0:
		return usagef("--call-off and --after purge a whole subject: remove --kind, --stream, --from, --to and --id")
	case events && f.kind == "":
		return usagef("pass the --kind of the events to remove")
	case events && f.from == "" && f.to == "" && !cmd.Flags().Changed("id"):
		return usagef("pass the events to remove: --from, --to or both, or --id")
	}
	subject, _, err := to.openSubject(cmd.Context(), text)
	if err != nil {
		return err
	}
	purger, table, err := f.purger(cmd.Context(), to)
	if err != nil {
		return err
	}
	switch {
	case events:
		return f.removeEvents(cmd, to, purger, table, subject)
	case f.callOff:
		return f.cancel(cmd, purger, subject)
	case f.dryRun:
		counts, err := purger.Count(cmd.Context(), subject)
		if err != nil {
			return err
		}
		return printing.PurgeCounts(cmd.OutOrStdout(), counts)
	}
	return f.purge(cmd, purger, subject)
}

func (f *purgeFlags) purger(ctx context.Context, to *connection) (*lifecycle.Purger, *dynamo.Table, error) {
	table, err := to.OpenTable(ctx)
	if err != nil {
		return nil, nil, err
	}
	settings, err := to.Settings()
	if err != nil {
		return nil, nil, err
	}
	return &lifecycle.Purger{
		Store: table, Now: wallClock, Timing: lifecycle.TimingOf(settings),
		Rate: f.rate, Copies: lifecycle.CopiesOf(settings),
	}, table, nil
}

func (f *purgeFlags) cancel(cmd *cobra.Command, purger *lifecycle.Purger, subject model.Subject) error {
	err := purger.Cancel(cmd.Context(), subject)
	if errors.Is(err, lifecycle.ErrNoPurge) || errors.Is(err, lifecycle.ErrPurgeStarted) {
		return no(cmd.ErrOrStderr(), "%v", err)
	}
	if err == nil {
		fmt.Fprintln(cmd.OutOrStdout(), "cancelled")
	}
	return err
}

func (f *purgeFlags) purge(cmd *cobra.Command, purger *lifecycle.Purger, subject model.Subject) error {
	purge, err := purger.Request(cmd.Context(), subject, userName(), time.Duration(f.after))
	if err != nil {
		return err
	}
	switch {
	case purge.Step == entity.PurgeRequested && purge.DueAt > wallClock():
		fmt.Fprintf(cmd.OutOrStdout(), "purge %s begins at %s; until then --call-off cancels it\n", purge.ID, purge.DueAt)
		return nil
	case f.after > 0:
		fmt.Fprintf(cmd.OutOrStdout(), "purge %s has begun already: %s\n", purge.ID, printing.PurgeSteps[purge.Step])
		return nil
	}
	shown := printing.NewPurgeProgress(cmd.ErrOrStderr())
	purger.OnProgress = shown.Show
	receipt, err := purger.Run(cmd.Context(), subject)
	shown.Done()
	if err != nil {
		return fmt.Errorf("%w; run the same command again, or let the purge function continue: the purge resumes where it stopped", err)
	}
	return printJSON(cmd.OutOrStdout(), receipt)
}

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
