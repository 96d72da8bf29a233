package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
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
			return printJSON(cmd.OutOrStdout(), httpapi.NewProfile(p))
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
			return printJSON(cmd.OutOrStdout(), httpapi.NewVersion(v))
		},
	}
	cmd.Flags().Int64Var(&version, "version", 0, "show only this `version`, in full")
	cmd.Flags().IntVar(&limit, "limit", 20, "the most versions to list; 0 lists all")
	lines.register(cmd)
	return cmd
}

func listVersions(cmd *cobra.Command, lines list, service *lifecycle.Service, subject model.Subject,
	limit int) error {
	stored := httpapi.Versions{Versions: []httpapi.Profile{}}
	cells := httpapi.Table{Header: []string{"version", "changed", "change", "fields"}}
	versions := paging.Items(func(before int64) ([]model.ProfileVersion, int64, error) {
		return service.Versions(cmd.Context(), subject, before, limit)
	})
	for v, err := range versions {
		if err != nil {
			return err
		}
		stored.Versions = append(stored.Versions, httpapi.NewVersion(&v))
		cells.Rows = append(cells.Rows, []string{fmt.Sprint(v.Version), max(v.UpdatedAt, v.DeletedAt).String(),
			string(v.Change), arguments.FieldsText(v.Attrs)})
		if limit > 0 && len(cells.Rows) >= limit {
			break
		}
	}
	return lines.print(cmd, stored, cells, "no versions are stored")
}

const subjectListHelp = `List subjects by an indexed field, or the deleted ones

List the subjects of a type, such as devices, by the value of an indexed field of their
profiles, or those whose profile is deleted.

Examples:
  tidemark subject list devices status=active
  tidemark subject list devices --deleted`

func subjectList(to *connection) *cobra.Command {
	var deleted bool
	var lines list
	cmd := &cobra.Command{
		Use:  "list TYPE [FIELD=VALUE]",
		Long: subjectListHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			return listSubjects(cmd, lines, to, args, deleted)
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "subjects whose profile is deleted, newest deletion first")
	lines.register(cmd)
	return cmd
}

func listSubjects(cmd *cobra.Command, lines list, to *connection, args []string, deleted bool) error {
	field, value, _ := strings.Cut(strings.Join(args[1:], ""), "=")
	if deleted == (len(args) == 2) || !deleted && value == "" {
		return usagef("pass either a field, for example status=active, or --deleted; "+
			"\"tidemark ls %s\" lists what was seen", args[0])
	}
	subjects, service, err := to.openSubjects(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	found := httpapi.Subjects{Subjects: []httpapi.Profile{}}
	cells := httpapi.Table{Header: []string{"subject", "version", "changed", "fields"}}
	for p, err := range profiles(func(c lifecycle.Cursor) (lifecycle.ProfilePage, error) {
		if deleted {
			return service.ListDeleted(cmd.Context(), subjects.Name, c, 0)
		}
		return service.ListByField(cmd.Context(), subjects.Name, field, value, c, 0)
	}) {
		if err != nil {
			return err
		}
		found.Subjects = append(found.Subjects, httpapi.NewProfile(&p))
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
