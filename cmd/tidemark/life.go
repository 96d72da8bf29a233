package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const subjectLong = `Register subjects, change them, delete and restore them, and see what they were.

A subject's events need none of this: they come in without a profile, and stay when it
is deleted. "tidemark purge" removes both.

Exit status: 0 done; 1 it cannot be, and the line says why; 2 asked wrongly; 3 could
not be done.`

func subjectCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "subject",
		Short: "Create, get, update, delete, restore a subject's profile, and see its versions",
		Long:  subjectLong,
		Example: "  tidemark subject create devices/sensor_01 name='Hall 3' status=active floor:=3\n" +
			"  tidemark subject update devices/sensor_01 status=away floor= --expect 1\n" +
			"  tidemark subject delete devices/sensor_01\n  tidemark subject restore devices/sensor_01\n" +
			"  tidemark subject versions devices/sensor_01\n  tidemark subject list devices status=active",
		Args: asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		subjectCreate(to), subjectGet(to), subjectUpdate(to), subjectDelete(to), subjectRestore(to),
		subjectVersions(to), subjectList(to),
	)
	return cmd
}

const fieldsUse = "FIELD=TEXT, FIELD:=JSON (a number, true, false), FIELD= (none)"

func subjectCreate(to *connection) *cobra.Command {
	return &cobra.Command{
		Use: "create SUBJECT [FIELD=TEXT…]", Short: "Make the profile of a subject that has none",
		Long: "Make the profile of a subject that has none. Fields are " + fieldsUse + ".",
		Args: asUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return to.change(cmd, args, func(ctx context.Context, s *lifecycle.Service, subject model.Subject, fields model.Attrs) (lifecycle.Outcome, error) {
				return s.Create(ctx, subject, fields)
			})
		},
	}
}

func subjectUpdate(to *connection) *cobra.Command {
	var expect int64
	cmd := &cobra.Command{
		Use: "update SUBJECT FIELD=TEXT…", Short: "Change the fields that are named, and no other",
		Long: "Change the fields that are named, and no other. Fields are " + fieldsUse + ".",
		Args: asUsage(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return to.change(cmd, args, func(ctx context.Context, s *lifecycle.Service, subject model.Subject, fields model.Attrs) (lifecycle.Outcome, error) {
				return s.Update(ctx, subject, fields, expect)
			})
		},
	}
	expecting(cmd, &expect)
	return cmd
}

func subjectDelete(to *connection) *cobra.Command {
	var expect int64
	var forever bool
	cmd := &cobra.Command{
		Use: "delete SUBJECT", Short: "Put a subject's profile into the bin, or remove it for good",
		Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return to.change(cmd, args, func(ctx context.Context, s *lifecycle.Service, subject model.Subject, _ model.Attrs) (lifecycle.Outcome, error) {
				if forever {
					return s.Remove(ctx, subject, expect)
				}
				return s.Delete(ctx, subject, expect)
			})
		},
	}
	cmd.Flags().BoolVar(&forever, "forever", false, "for good, versions and unique values with it; events stay")
	expecting(cmd, &expect)
	return cmd
}

func subjectRestore(to *connection) *cobra.Command {
	var expect int64
	cmd := &cobra.Command{
		Use: "restore SUBJECT", Short: "Bring a deleted subject's profile back",
		Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return to.change(cmd, args, func(ctx context.Context, s *lifecycle.Service, subject model.Subject, _ model.Attrs) (lifecycle.Outcome, error) {
				return s.Restore(ctx, subject, expect)
			})
		},
	}
	expecting(cmd, &expect)
	return cmd
}

func expecting(cmd *cobra.Command, expect *int64) {
	cmd.Flags().Int64Var(expect, "expect", 0, "only if the profile has this `version`")
}

// change carries a change out and says what became of it.
func (c *connection) change(cmd *cobra.Command, args []string,
	do func(context.Context, *lifecycle.Service, model.Subject, model.Attrs) (lifecycle.Outcome, error)) error {
	subject, service, err := c.life(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	fields, err := parseFields(args[1:])
	if err != nil {
		return err
	}
	out, err := do(cmd.Context(), service, subject, fields)
	if err != nil {
		return err
	}
	return tellOutcome(cmd.OutOrStdout(), cmd.ErrOrStderr(), subject, out)
}

// life is a subject, and what changes it.
func (c *connection) life(ctx context.Context, text string) (model.Subject, *lifecycle.Service, error) {
	table, err := c.openTable(ctx)
	if err != nil {
		return model.Subject{}, nil, err
	}
	settings, err := c.settings()
	if err != nil {
		return model.Subject{}, nil, err
	}
	kinds, err := c.catalog()
	if err != nil {
		return model.Subject{}, nil, err
	}
	subject, err := findSubject(text, kinds)
	return subject, &lifecycle.Service{Store: table, Profile: kinds.Profile, Limits: settings.Limits, Now: wallClock, Rand: rand.Reader}, err
}

// explained is what a verdict that is none of something done means, and what to do.
var explained = map[lifecycle.Verdict]string{
	lifecycle.Exists:   "there is one already: change it by update",
	lifecycle.InBin:    "it was deleted: restore it, or delete it --forever",
	lifecycle.NotFound: "there is nothing to change: create it",
	lifecycle.Conflict: "it has another version than was expected: get it, and ask again with --expect",
	lifecycle.Taken:    "another subject has the same value",
	lifecycle.Gone:     "it is being purged, and can be made anew two days after that",
	lifecycle.Rejected: "it cannot be stored as it is",
	lifecycle.Unknown:  "the table did not answer in time: look whether it was done, or ask again",
}

// tellOutcome prints what now stands, or says why nothing was changed.
func tellOutcome(out, complaints io.Writer, subject model.Subject, o lifecycle.Outcome) error {
	why, failed := explained[o.Verdict]
	if !failed {
		fmt.Fprintf(out, "%s %s\n", subject, o.Verdict)
		if o.Profile == nil || o.Verdict == lifecycle.Removed {
			return nil
		}
		return printJSON(out, envelope.ProfileOf(o.Profile))
	}
	if o.Constraint != "" {
		why += " (" + o.Constraint + ")"
	}
	fmt.Fprintf(complaints, "tidemark: %s: %s: %s\n", subject, o.Verdict, why)
	for _, e := range o.Errors {
		fmt.Fprintf(complaints, "  %s\n", e.Error())
	}
	return checkFailed
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// parseFields reads FIELD=TEXT, FIELD:=JSON and FIELD=, which is null.
func parseFields(args []string) (attrs model.Attrs, err error) {
	for _, arg := range args {
		name, text, cut := strings.Cut(arg, "=")
		name, typed := strings.CutSuffix(name, ":")
		if !cut || name == "" {
			return nil, usagef("%q: want %s", arg, fieldsUse)
		}
		v := model.TextValue(text)
		switch {
		case text == "":
			v = model.Value{}
		case typed && (text == "true" || text == "false"):
			v = model.BoolValue(text == "true")
		case typed:
			number, err := model.ParseDecimal(text)
			if err != nil {
				return nil, usagef("%q: want %s", arg, fieldsUse)
			}
			v = model.NumberValue(number)
		}
		attrs = append(attrs, model.Attr{Name: name, Value: v})
	}
	return attrs, nil
}
