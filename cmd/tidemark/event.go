package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const eventHelp = `Show, correct or delete one stored event

Show, correct or delete one stored event, such as a reading that was wrong. It is named by
its subject and time, and by its id and stream if it has them: see "tidemark history".
The latest item follows at once; the rollups are recomputed within seconds.

Exit status: 0 done; 1 there is no such event, or it has other fields than expected;
2 wrong usage; 3 failed.

Examples:
  tidemark event get devices/sensor_01 2026-11-01T14:00:00Z
  tidemark event correct devices/sensor_01 2026-11-01T14:00:00Z temperature=22.4 note=
  tidemark event delete devices/sensor_01 2026-11-01T14:00:00Z`

func eventCommand(to *connection) *cobra.Command {
	return group("event", eventHelp, eventGet(to), eventCorrect(to), eventDelete(to))
}

// eventFlags choose an event, in addition to its subject and time.
type eventFlags struct{ kind, stream, id, expect string }

func (f *eventFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "", "`kind` of event; required if the subject has several kinds")
	cmd.Flags().StringVar(&f.stream, "stream", "", "`stream` of the series (default: events without a stream)")
	cmd.Flags().StringVar(&f.id, "id", "", "`id` of the event, if it has one")
	if cmd.Name() == "get" { // it changes nothing
		return
	}
	cmd.Flags().StringVar(&f.expect, "expect", "", "only if the event has this `hash`, as printed by get")
}

// chosenEvent is the event that the flags and arguments choose.
type chosenEvent struct {
	ingest.Editor
	reader query.Service
	kind   *catalog.Kind
	key    model.EventKey
	expect *model.Hash
}

func (f *eventFlags) open(cmd *cobra.Command, to *connection, args []string) (*chosenEvent, error) {
	ctx := cmd.Context()
	table, kinds, err := to.OpenTableKinds(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := to.Settings()
	if err != nil {
		return nil, err
	}
	service := &ingest.Service{
		Limits: settings.Limits, Now: wallClock, Rand: rand.Reader, Queue: queue.NewWriter(table, kinds),
		OnUnqueued: ingest.PrintUnqueued(cmd.ErrOrStderr()),
	}
	c := &chosenEvent{
		reader: query.Service{Store: table, Now: wallClock},
		Editor: ingest.Editor{Store: table, Service: service},
	}
	if c.kind, c.key, err = arguments.Event(kinds, args[0], f.kind, f.stream, args[1], f.id); err != nil {
		return nil, err
	}
	if f.expect != "" {
		hash, err := model.ParseHash(f.expect)
		if err != nil {
			return nil, usagef("--expect: %w", err)
		}
		c.expect = &hash
	}
	return c, nil
}

const eventGetHelp = `Show an event, with its hash

Show the fields of an event, and their hash for --expect. For a kind of sessions, give the
visitor as --id, and the time of the session's first view.`

func eventGet(to *connection) *cobra.Command {
	return eventAction(to, "get SUBJECT TIME", eventGetHelp,
		func(ctx context.Context, c *chosenEvent, _ []string) (ingest.Edit, error) {
			stored, err := c.reader.Event(ctx,
				query.Series{Kind: c.kind, Subject: c.key.Series.Subject.ID, Stream: c.key.Series.Stream}, c.key.Order)
			return ingest.Edit{Event: stored, Outcome: ingest.NotFound}, err
		})
}

const eventCorrectHelp = `Change fields of an event

Change the given fields of an event; other fields keep their values. A field is
FIELD=TEXT, FIELD:=JSON (a number, true, false; in profiles also a list or a map) or
FIELD= (remove the field). Text that is a number, true or false is stored as such.

Examples:
  tidemark event correct devices/sensor_01 2026-11-01T14:00:00Z temperature=22.4 note=`

func eventCorrect(to *connection) *cobra.Command {
	return eventAction(to, "correct SUBJECT TIME FIELD=TEXT…", eventCorrectHelp,
		func(ctx context.Context, c *chosenEvent, args []string) (ingest.Edit, error) {
			measures := lists.Map(c.kind.Measures, func(m rollup.MeasureSpec) string { return m.Name })
			fields, err := arguments.Values(args, measures)
			if err != nil {
				return ingest.Edit{}, err
			}
			if err := c.checkNames(ctx, fields, measures); err != nil {
				return ingest.Edit{}, err
			}
			edit, err := c.Patch(ctx, c.kind, c.key, fields, c.expect)
			if errors.Is(err, model.ErrRejected) {
				err = usagef("%w; nothing was changed", err)
			}
			return edit, err
		})
}

// checkNames returns an error if a field that the event does not have is like one that it has.
func (c *chosenEvent) checkNames(ctx context.Context, fields model.Attrs, declared []string) error {
	stored, err := c.reader.Event(ctx,
		query.Series{Kind: c.kind, Subject: c.key.Series.Subject.ID, Stream: c.key.Series.Stream}, c.key.Order)
	if err != nil || stored == nil {
		return err
	}
	has := append(lists.Map(stored.Attrs, func(a model.Attr) string { return a.Name }), declared...)
	for _, f := range fields {
		if like := names.Closest(f.Name, has); like != "" && !slices.Contains(has, f.Name) {
			return usagef("the event has no field %s (did you mean %s?); nothing was changed", f.Name, like)
		}
	}
	return nil
}

const eventDeleteHelp = `Delete an event

Delete an event. It cannot be restored.`

func eventDelete(to *connection) *cobra.Command {
	return eventAction(to, "delete SUBJECT TIME", eventDeleteHelp,
		func(ctx context.Context, c *chosenEvent, _ []string) (ingest.Edit, error) {
			return c.Delete(ctx, c.kind, c.key, c.expect)
		})
}

// eventAction returns a command that prints what an action on one event returns. The action has the
// arguments that follow the subject and the time.
func eventAction(to *connection, use, help string,
	act func(context.Context, *chosenEvent, []string) (ingest.Edit, error)) *cobra.Command {
	var f eventFlags
	cmd := &cobra.Command{Use: use, Long: help, RunE: func(cmd *cobra.Command, args []string) error {
		c, err := f.open(cmd, to, args)
		if err != nil {
			return err
		}
		edit, err := act(cmd.Context(), c, args[2:])
		if err != nil {
			return err
		}
		return c.print(cmd, edit)
	}}
	f.register(cmd)
	return cmd
}

// print prints the event after an edit, or why nothing was changed.
func (c *chosenEvent) print(cmd *cobra.Command, edit ingest.Edit) error {
	out, messages := cmd.OutOrStdout(), cmd.ErrOrStderr()
	switch {
	case edit.Outcome == ingest.Deleted:
		fmt.Fprintf(out, "%s: deleted\n", c.name())
		return nil
	case edit.Event == nil:
		return no(messages, "there is no %s: see \"tidemark history\", and check --stream and --id", c.name())
	case edit.Outcome == ingest.Changed:
		return no(messages, "%s has the hash %s, not the expected one: nothing was changed; "+
			"use get, then try again", c.name(), edit.Event.Hash)
	}
	fmt.Fprintf(messages, "hash %s\n", edit.Event.Hash)
	return printJSON(out, views.NewEvent(edit.Event))
}

// name returns the event as in a sentence.
func (c *chosenEvent) name() string {
	text := fmt.Sprintf("event of %s/%s at %s", c.kind.Subject.Path, c.key.Series.Subject.ID, c.key.At)
	if c.key.Series.Stream != "" {
		text += fmt.Sprintf(" in stream %q", c.key.Series.Stream)
	}
	if c.key.ID != "" {
		text += fmt.Sprintf(" with the id %q", c.key.ID)
	}
	return text
}
