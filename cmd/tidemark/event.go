package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func eventCommand(to *connection) *cobra.Command {
	return group("event", eventGet(to), eventCorrect(to), eventDelete(to))
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

func (f *eventFlags) open(ctx context.Context, to *connection, args []string) (*chosenEvent, error) {
	table, kinds, err := to.OpenTableKinds(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := to.Settings()
	if err != nil {
		return nil, err
	}
	c := &chosenEvent{reader: query.Service{Store: table, Now: wallClock}, Editor: ingest.Editor{Store: table, Service: &ingest.Service{Limits: settings.Limits, Now: wallClock, Rand: rand.Reader}}}
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

func eventGet(to *connection) *cobra.Command {
	return eventAction(to, "get SUBJECT TIME",
		func(ctx context.Context, c *chosenEvent, _ []string) (ingest.Edit, error) {
			stored, err := c.reader.Event(ctx, query.Series{Kind: c.kind, Subject: c.key.Series.Subject.ID, Stream: c.key.Series.Stream}, c.key.Order)
			return ingest.Edit{Event: stored, Outcome: ingest.NotFound}, err
		})
}

func eventCorrect(to *connection) *cobra.Command {
	return eventAction(to, "correct SUBJECT TIME FIELD=TEXT…",
		func(ctx context.Context, c *chosenEvent, args []string) (ingest.Edit, error) {
			fields, err := arguments.Fields(args)
			if err != nil {
				return ingest.Edit{}, err
			}
			edit, err := c.Patch(ctx, c.kind, c.key, fields, c.expect)
			if errors.Is(err, model.ErrRejected) {
				err = usagef("%w; nothing was changed", err)
			}
			return edit, err
		})
}

func eventDelete(to *connection) *cobra.Command {
	return eventAction(to, "delete SUBJECT TIME",
		func(ctx context.Context, c *chosenEvent, _ []string) (ingest.Edit, error) {
			return c.Delete(ctx, c.key, c.expect)
		})
}

// eventAction returns a command that prints what an action on one event returns. The action has the
// arguments that follow the subject and the time.
func eventAction(to *connection, use string, act func(context.Context, *chosenEvent, []string) (ingest.Edit, error)) *cobra.Command {
	var f eventFlags
	cmd := &cobra.Command{Use: use, RunE: func(cmd *cobra.Command, args []string) error {
		c, err := f.open(cmd.Context(), to, args)
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
		return no(messages, "%s has the hash %s, not the expected one: nothing was changed; use get, then try again", c.name(), edit.Event.Hash)
	}
	fmt.Fprintf(messages, "hash %s\n", edit.Event.Hash)
	return printJSON(out, httpapi.EventOf(edit.Event))
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
