package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// purgeFlags say what to remove, and how.
type purgeFlags struct {
	kind, stream, from, to string
	dryRun, yes, callOff   bool
	after                  times.Span
	rate                   int
	id, value              string
	where                  []string
}

const purgeHelp = `Permanently remove a subject, or some of its events

Permanently remove everything about a subject, for example when its owner requires it: the
profile, deleted or not, with its versions and unique values; the events, latest items
and rollups of all its series; its alerts; and its items in quarantine. Nothing of any
other subject is removed.

--dry-run counts the items by class and removes nothing. --yes removes them: from then on
events of the subject are refused, writes that have begun are waited for, and at the end
a receipt says what was removed and where copies remain until when. If the command is
stopped, run it again; the purge function continues the purge too. With --after the purge
begins later and can be cancelled until then with --call-off.

With --kind and a range or --id, it removes events of one series instead, and the rollups
follow through the table stream. A range may be open at one end. With --where, it removes the
events of one visitor, or whatever meets the condition, of all kinds and streams, reads them
again, and lists where copies remain until when. Undelivered messages can bring events
back: retry or delete them first.

With --value, it removes one value of a dimension from all rollups, such as a secret in a
path, also from those whose events have expired. The events of the value count as other
values. It is refused while stored events have the value: remove these with --where first. Groups
of the subject count the value too: the command names them, and is run for each of them.

Exit status: 0 done; 1 there is no purge to cancel, or events are left; 2 wrong usage; 3 failed.

Examples:
  tidemark purge devices/sensor_01 --dry-run
  tidemark purge devices/sensor_01 --yes
  tidemark purge devices/sensor_01 --after 72h --yes
  tidemark purge devices/sensor_01 --call-off
  tidemark purge devices/sensor_01 --kind readings --from 2026-04-20 --to 2026-04-21 --yes
  tidemark purge sites/example.com --where visitor=7d1f6c02a9e4 --yes
  tidemark purge sites/example.com --value path=/reset/7d1f6c02 --yes`

func purgeCommand(to *connection) *cobra.Command {
	var flags purgeFlags
	cmd := &cobra.Command{
		Use:  "purge SUBJECT",
		Long: purgeHelp,
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
	f.StringVar(&flags.from, "from", "",
		"`time` at which the range begins, such as 2026-11-01 or 2026-11-01T14:00:00Z")
	f.StringVar(&flags.to, "to", "", "`time` before which the range ends")
	f.StringArrayVar(&flags.where, "where", nil, "only events that meet this `condition`, of all kinds or "+
		"of --kind, such as visitor=abc")
	f.StringVar(&flags.value, "value", "", "remove this `field=value` from stored rollups, such as "+
		"path=/reset/abc")
	f.StringVar(&flags.id, "id", "", "only events with this `id`")
	return cmd
}

// ofEvents reports whether a part of the subject's events is purged, and not the whole subject.
func (f *purgeFlags) ofEvents() bool { return f.kind != "" || f.narrowed() }

// narrowed reports whether flags choose events within a kind, or within all kinds.
func (f *purgeFlags) narrowed() bool {
	return f.stream != "" || f.from != "" || f.to != "" || f.id != "" || len(f.where) > 0
}

// check returns an error for flags that do not go together. hasID is whether --id was given; it may be empty.
func (f *purgeFlags) check(hasID bool) error {
	given := 0
	for _, set := range []bool{f.dryRun, f.yes, f.callOff} {
		if set {
			given++
		}
	}
	wholeSubject := f.callOff || f.after > 0
	switch {
	case f.value != "" && (wholeSubject || f.narrowed()):
		return usagef("--value removes a value from all rollups: of the other flags, it takes --kind, " +
			"--dry-run and --yes")
	case given != 1:
		return usagef("pass one of --dry-run, --yes and --call-off")
	case f.ofEvents() && wholeSubject:
		return usagef("--call-off and --after purge a whole subject: remove --kind, --stream, --from, --to, " +
			"--where and --id")
	case f.value != "" || len(f.where) > 0: // of all kinds, or of --kind
	case f.ofEvents() && f.kind == "":
		return usagef("pass the --kind of the events to remove")
	case f.ofEvents() && f.from == "" && f.to == "" && !hasID:
		return usagef("pass the events to remove: --from, --to or both, --where, or --id")
	}
	return nil
}

func (f *purgeFlags) run(cmd *cobra.Command, to *connection, text string) error {
	if err := f.check(cmd.Flags().Changed("id")); err != nil {
		return err
	}
	subject, _, err := to.openSubject(cmd.Context(), text)
	if err != nil {
		return err
	}
	if reserved.Group(subject.Type) && f.value == "" {
		return usagef("%s is a group: purge its members, or correct their events; --value removes a value "+
			"from its rollups", text)
	}
	purger, table, err := f.purger(cmd.Context(), to)
	if err != nil {
		return err
	}
	switch {
	case f.value != "":
		return f.hideValue(cmd, to, purger, subject)
	case f.ofEvents():
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
		Store: table, Now: wallClock, Timing: lifecycle.NewTiming(settings),
		Rate: f.rate, Copies: lifecycle.ListCopies(settings),
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
	case purge.Step == storage.PurgeRequested && purge.DueAt > wallClock():
		fmt.Fprintf(cmd.OutOrStdout(), "purge %s begins at %s; until then --call-off cancels it\n", purge.ID,
			purge.DueAt)
		return nil
	case f.after > 0:
		fmt.Fprintf(cmd.OutOrStdout(), "purge %s has begun already: %s\n", purge.ID,
			printing.PurgeSteps[purge.Step])
		return nil
	}
	shown := printing.NewPurgeProgress(cmd.ErrOrStderr())
	purger.OnProgress = shown.Show
	receipt, err := purger.Run(cmd.Context(), subject)
	shown.Done()
	if err != nil {
		return fmt.Errorf("%w; run the same command again, or let the purge function continue: "+
			"the purge resumes where it stopped", err)
	}
	return printJSON(cmd.OutOrStdout(), receipt)
}
