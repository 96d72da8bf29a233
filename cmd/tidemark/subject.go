package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const subjectHelp = `Manage the profiles of subjects

Create, read, change, delete and restore the profile of a subject, such as the name and
status of a device, and show its earlier versions.

Events do not need a profile: they are accepted without one, and stay stored when it is
deleted. "tidemark purge" removes both.

Exit status: 0 done; 1 not possible, for the reason that is printed; 2 wrong usage;
3 failed.

Examples:
  tidemark subject create devices/sensor_01 name='Hall 3' status=active floor:=3
  tidemark subject update devices/sensor_01 status=away floor= --expect 1
  tidemark subject delete devices/sensor_01
  tidemark subject restore devices/sensor_01
  tidemark subject versions devices/sensor_01
  tidemark subject list devices status=active
  tidemark subject backfill devices`

func subjectCommand(to *connection) *cobra.Command {
	return group("subject", subjectHelp,
		subjectCreate(to), subjectGet(to), subjectUpdate(to), subjectDelete(to), subjectRestore(to),
		subjectVersions(to), subjectList(to), subjectBackfill(to),
	)
}

const subjectCreateHelp = `Create the profile of a subject

Create the profile of a subject that has none. A field is FIELD=TEXT, FIELD:=JSON (a
number, true, false; in profiles also a list or a map) or FIELD= (remove the field).`

func subjectCreate(to *connection) *cobra.Command {
	return profileChange(to, "create SUBJECT [FIELD=TEXT…]", subjectCreateHelp, nil, (*lifecycle.Service).Create)
}

const subjectUpdateHelp = `Change some fields of a profile

Change the given fields of a profile; other fields keep their values. A field is
FIELD=TEXT, FIELD:=JSON (a number, true, false; in profiles also a list or a map) or
FIELD= (remove the field).`

func subjectUpdate(to *connection) *cobra.Command {
	var expect int64
	return profileChange(to, "update SUBJECT FIELD=TEXT…", subjectUpdateHelp, &expect, func(s *lifecycle.Service,
		ctx context.Context, subject model.Subject, fields model.Attrs) (lifecycle.Result, error) {
		return s.Update(ctx, subject, fields, expect)
	})
}

const subjectDeleteHelp = `Delete a profile, so that it can be restored for some time

Delete a profile. It can be restored for some time, unless --forever is given. Events stay.`

func subjectDelete(to *connection) *cobra.Command {
	var expect int64
	var forever bool
	cmd := profileChange(to, "delete SUBJECT", subjectDeleteHelp, &expect, func(s *lifecycle.Service,
		ctx context.Context, subject model.Subject, _ model.Attrs) (lifecycle.Result, error) {
		if forever {
			return s.Remove(ctx, subject, expect)
		}
		return s.Delete(ctx, subject, expect)
	})
	cmd.Flags().BoolVar(&forever, "forever", false, "delete it permanently, with its versions and unique values")
	return cmd
}

const subjectRestoreHelp = `Restore a deleted profile

Restore a profile that was deleted, with the fields that it had.`

func subjectRestore(to *connection) *cobra.Command {
	var expect int64
	return profileChange(to, "restore SUBJECT", subjectRestoreHelp, &expect, func(s *lifecycle.Service,
		ctx context.Context, subject model.Subject, _ model.Attrs) (lifecycle.Result, error) {
		return s.Restore(ctx, subject, expect)
	})
}

// profileChange returns a command that changes a profile and prints the result. expect is the value of the
// flag --expect; nil if the command has none.
func profileChange(to *connection, use, help string, expect *int64,
	do func(*lifecycle.Service, context.Context, model.Subject, model.Attrs) (lifecycle.Result,
		error)) *cobra.Command {
	cmd := &cobra.Command{Use: use, Long: help, RunE: func(cmd *cobra.Command, args []string) error {
		return to.change(cmd, args, do)
	}}
	if expect != nil {
		cmd.Flags().Int64Var(expect, "expect", 0, "only if the profile has this `version`")
	}
	return cmd
}

// change changes a profile and prints the result.
func (c *connection) change(cmd *cobra.Command, args []string,
	do func(*lifecycle.Service, context.Context, model.Subject, model.Attrs) (lifecycle.Result, error)) error {
	subject, service, err := c.openSubject(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	fields, err := arguments.Fields(args[1:])
	if err != nil {
		return err
	}
	result, err := do(service, cmd.Context(), subject, fields)
	if errors.Is(err, model.ErrRejected) {
		return no(cmd.ErrOrStderr(), "%s: %v", subject, err)
	}
	if err != nil {
		return fmt.Errorf("%w: use get to see whether it was done, or try again", err)
	}
	return printResult(cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0], result)
}

// openSubject parses a subject argument and returns a service for its profile.
func (c *connection) openSubject(ctx context.Context,
	text string) (model.Subject, *lifecycle.Service, error) {
	table, kinds, err := c.OpenKinds(ctx)
	if err != nil {
		return model.Subject{}, nil, err
	}
	settings, err := c.Settings()
	if err != nil {
		return model.Subject{}, nil, err
	}
	subject, err := arguments.Subject(text, kinds)
	return subject, &lifecycle.Service{Store: table, Profile: kinds.Profile, Limits: settings.Limits,
		Now: wallClock, Rand: rand.Reader}, err
}

const subjectBackfillHelp = `Add existing profiles to what was declared later

Add the existing profiles of a type, such as devices, to indexes, unique constraints and
groups by profiles that were declared after they were written. The list of subjects gets the
names of profiles that an earlier release wrote. Run it once all functions have the new
declaration. Until it is done, lists by the new index, checks of the new constraint and
rollups of the new groups know only profiles that were written since.

It reads every profile and writes those that are incomplete, as new versions. It is safe at
any time, repeatedly, and during live traffic. A profile with a value that another profile
has is printed and left as it is. If it stops, it prints the subject to continue after.

Exit status: 0 done; 1 done, but profiles share values; 2 wrong usage; 3 failed: continue
with --after.

Examples:
  tidemark subject backfill devices
  tidemark subject backfill devices --after sensor_41`

func subjectBackfill(to *connection) *cobra.Command {
	var after string
	cmd := &cobra.Command{
		Use:  "backfill TYPE",
		Long: subjectBackfillHelp,
		RunE: func(cmd *cobra.Command, args []string) error { return to.backfill(cmd, args[0], after) },
	}
	cmd.Flags().StringVar(&after, "after", "", "continue after the subject with this `id`")
	return cmd
}

func (c *connection) backfill(cmd *cobra.Command, name, after string) error {
	subjects, service, err := c.openSubjects(cmd.Context(), name)
	if err != nil {
		return err
	}
	n := map[lifecycle.Outcome]int{}
	err = service.Backfill(cmd.Context(), subjects.Name, after, func(s model.Subject, r lifecycle.Result) error {
		n[r.Outcome]++
		after = s.ID
		if r.Outcome == lifecycle.Taken {
			fmt.Fprintf(cmd.ErrOrStderr(),
				"tidemark: %s: taken: %s (%s): change one of the two, then run backfill again\n", s,
				explanations[r.Outcome], r.Constraint)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w: indexes and constraints are still partial: continue with --after %q", err, after)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "profiles: %d added, %d complete already, %d whose value another has\n",
		n[lifecycle.Updated], n[lifecycle.Unchanged], n[lifecycle.Taken])
	if n[lifecycle.Taken] > 0 {
		return checkFailed
	}
	return nil
}

// openSubjects parses a subject type, such as devices, and returns a service for its profiles.
func (c *connection) openSubjects(ctx context.Context,
	name string) (catalog.SubjectType, *lifecycle.Service, error) {
	kinds, err := c.Catalog()
	if err != nil {
		return catalog.SubjectType{}, nil, err
	}
	types := kinds.Subjects()
	i := slices.IndexFunc(types, func(s catalog.SubjectType) bool { return s.Path == name || s.Name == name })
	if i < 0 {
		return catalog.SubjectType{}, nil, usagef("%q is not a subject type: want %s", name,
			strings.ReplaceAll(strings.Join(arguments.SubjectForms(kinds), " or "), "/ID", ""))
	}
	_, service, err := c.openSubject(ctx, types[i].Path+"/any")
	return types[i], service, err
}

// explanations say, for each outcome that changed nothing, why and what to do.
var explanations = map[lifecycle.Outcome]string{
	lifecycle.Exists:     "it has a profile already: use update to change it",
	lifecycle.Restorable: "it was deleted: restore it, or use delete --forever first",
	lifecycle.NotFound:   "it has no profile: use create",
	lifecycle.Conflict:   "the profile has another version than expected: use get, then try again with --expect",
	lifecycle.Taken:      "another subject has the same value",
	lifecycle.Gone: "it is being purged; it can be created again when the purge lock ends: " +
		"purge says when",
}

// printResult prints the changed profile, or why nothing was changed. subject is as it was typed.
func printResult(out, messages io.Writer, subject string, r lifecycle.Result) error {
	reason, failed := explanations[r.Outcome]
	if !failed {
		fmt.Fprintf(out, "%s %s\n", subject, r.Outcome)
		if r.Profile == nil || r.Outcome == lifecycle.Removed {
			return nil
		}
		return printJSON(out, views.NewProfile(r.Profile))
	}
	if r.Constraint != "" {
		reason += " (" + r.Constraint + ")"
	}
	fmt.Fprintf(messages, "tidemark: %s: %s: %s\n", subject, r.Outcome, reason)
	return checkFailed
}
