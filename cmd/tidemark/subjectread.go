package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const subjectGetHelp = `Show the profile of a subject

Show the profile of a subject as JSON.`

func subjectGet(to *connection) *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use:  "get SUBJECT",
		Long: subjectGetHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			subject, service, err := to.openSubject(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			read, none := service.Get, "has no profile"
			if deleted {
				read, none = service.Deleted, "is not deleted"
			}
			p, err := read(cmd.Context(), subject)
			if err != nil {
				return err
			}
			if p == nil {
				return no(cmd.ErrOrStderr(), "%s %s", args[0], none)
			}
			return printJSON(cmd.OutOrStdout(), views.NewProfile(p))
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "the deleted profile")
	return cmd
}

const subjectVersionsHelp = `List the versions of a profile, newest first, or show one

List the versions of a profile, newest first, or show one of them as JSON.`

func subjectVersions(to *connection) *cobra.Command {
	var version int64
	var limit int
	var lines list
	cmd := &cobra.Command{
		Use:  "versions SUBJECT",
		Long: subjectVersionsHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			subject, service, err := to.openSubject(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if version == 0 {
				return listVersions(cmd, lines, service, subject, limit)
			}
			v, err := service.Version(cmd.Context(), subject, version)
			if err != nil {
				return err
			}
			if v == nil {
				return no(cmd.ErrOrStderr(), "%s has no version %d, or it has expired", subject, version)
			}
			return printJSON(cmd.OutOrStdout(), views.NewVersion(v))
		},
	}
	cmd.Flags().Int64Var(&version, "version", 0, "show only this `version`, in full")
	cmd.Flags().IntVar(&limit, "limit", 20, "the most versions to list; 0 lists all")
	lines.register(cmd)
	return cmd
}

func listVersions(cmd *cobra.Command, lines list, service *lifecycle.Service, subject model.Subject,
	limit int) error {
	stored := views.Versions{Versions: []views.Profile{}}
	cells := views.Table{Header: []string{"version", "changed", "change", "fields"}}
	versions := paging.Items(func(before int64) ([]model.ProfileVersion, int64, error) {
		return service.Versions(cmd.Context(), subject, before, limit)
	})
	for v, err := range versions {
		if err != nil {
			return err
		}
		stored.Versions = append(stored.Versions, views.NewVersion(&v))
		cells.Rows = append(cells.Rows, []string{fmt.Sprint(v.Version), max(v.UpdatedAt, v.DeletedAt).String(),
			string(v.Change), arguments.FieldsText(v.Attrs)})
		if limit > 0 && len(cells.Rows) >= limit {
			break
		}
	}
	return lines.print(cmd, stored, cells, "no versions are stored")
}

const subjectListHelp = `List subjects by indexed fields, or the deleted ones

List the subjects of a type, such as devices, by the values of indexed fields of their
profiles, or those whose profile is deleted. An index of several fields needs a value of
each, as accountId=acme status=active. Its sort fields order the list; --from and --to are
bounds of the first of them: a text, a number or a time. The list begins with --from, and
ends before --to.

Examples:
  tidemark subject list devices status=active
  tidemark subject list devices --deleted`

// subjectListFlags select the profiles of a list.
type subjectListFlags struct {
	deleted, descending bool
	from, to            string
}

func subjectList(to *connection) *cobra.Command {
	var flags subjectListFlags
	var lines list
	cmd := &cobra.Command{
		Use:  "list TYPE [FIELD=VALUE…]",
		Long: subjectListHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			return listSubjects(cmd, lines, to, args, flags)
		},
	}
	cmd.Flags().BoolVar(&flags.deleted, "deleted", false,
		"subjects whose profile is deleted, newest deletion first")
	cmd.Flags().StringVar(&flags.from, "from", "", "lowest `value` of the index's first sort field")
	cmd.Flags().StringVar(&flags.to, "to", "", "`value` of the index's first sort field at which the list ends")
	cmd.Flags().BoolVar(&flags.descending, "descending", false, "in the opposite order of the index")
	lines.register(cmd)
	return cmd
}

// query returns the query of the fields of a command, and of its flags.
func (f subjectListFlags) query(subjects string, fields []string) (q lifecycle.ProfileQuery, _ error) {
	q = lifecycle.ProfileQuery{By: map[string]string{}, Descending: f.descending}
	for _, word := range fields {
		field, value, _ := strings.Cut(word, "=")
		if field == "" || value == "" || q.By[field] != "" {
			return q, usagef("%q: pass each field once with its value, for example status=active", word)
		}
		q.By[field] = value
	}
	if f.deleted == (len(fields) > 0) || f.deleted && f != (subjectListFlags{deleted: true}) {
		return q, usagef("pass either a field, for example status=active, or --deleted; "+
			"\"tidemark ls %s\" lists what was seen", subjects)
	}
	for text, bound := range map[*string]*model.Value{&f.from: &q.From, &f.to: &q.To} {
		if *text != "" {
			*bound = model.TextValue(*text)
		}
	}
	return q, nil
}

func listSubjects(cmd *cobra.Command, lines list, to *connection, args []string, f subjectListFlags) error {
	q, err := f.query(args[0], args[1:])
	if err != nil {
		return err
	}
	subjects, service, err := to.openSubjects(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	q.SubjectType = subjects.Name
	found := views.Subjects{Subjects: []views.Profile{}}
	cells := views.Table{Header: []string{"subject", "version", "changed", "fields"}}
	for p, err := range profiles(func(c lifecycle.Cursor) (lifecycle.ProfilePage, error) {
		if f.deleted {
			return service.ListDeleted(cmd.Context(), subjects.Name, c, 0)
		}
		q.After = c
		return service.List(cmd.Context(), q)
	}) {
		if err != nil {
			return err
		}
		found.Subjects = append(found.Subjects, views.NewProfile(&p))
		cells.Rows = append(cells.Rows, []string{subjects.Path + "/" + p.Subject.ID, fmt.Sprint(p.Version),
			max(p.UpdatedAt, p.DeletedAt).String(), arguments.FieldsText(p.Attrs)})
	}
	return lines.print(cmd, found, cells, "no subjects")
}

// profiles returns an iterator over the profiles of all pages.
func profiles(read func(lifecycle.Cursor) (lifecycle.ProfilePage, error)) iter.Seq2[model.Profile, error] {
	return paging.Items(func(after lifecycle.Cursor) ([]model.Profile, lifecycle.Cursor, error) {
		page, err := read(after)
		return page.Profiles, page.Next, err
	})
}
