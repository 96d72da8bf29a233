package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/pages"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func subjectGet(to *connection) *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use: "get SUBJECT", Short: "Show the profile of a subject",
		Args: cobra.ExactArgs(1),
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
				return no(cmd.ErrOrStderr(), "%s %s", subject, none)
			}
			return printJSON(cmd.OutOrStdout(), httpapi.ProfileOf(p))
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "the deleted profile")
	return cmd
}

func subjectVersions(to *connection) *cobra.Command {
	var version int64
	var limit int
	cmd := &cobra.Command{
		Use: "versions SUBJECT", Short: "List the versions of a profile, newest first, or show one",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			subject, service, err := to.openSubject(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if version == 0 {
				return listVersions(cmd, service, subject, limit)
			}
			v, err := service.Version(cmd.Context(), subject, version)
			if err != nil {
				return err
			}
			if v == nil {
				return no(cmd.ErrOrStderr(), "%s has no version %d, or it has expired", subject, version)
			}
			return printJSON(cmd.OutOrStdout(), httpapi.VersionOf(v))
		},
	}
	cmd.Flags().Int64Var(&version, "version", 0, "show only this `version`, in full")
	cmd.Flags().IntVar(&limit, "limit", 20, "the most versions to list; 0 lists all")
	return cmd
}

func listVersions(cmd *cobra.Command, service *lifecycle.Service, subject model.Subject, limit int) error {
	table := terminal.NewTable(cmd.OutOrStdout())
	versions := pages.Items(func(before int64) ([]model.ProfileVersion, int64, error) {
		return service.Versions(cmd.Context(), subject, before, limit)
	})
	for v, err := range versions {
		if err != nil {
			return err
		}
		table.Add(fmt.Sprintf("v%d", v.Version), max(v.UpdatedAt, v.DeletedAt).String(), string(v.Change), arguments.FieldsText(v.Attrs))
		if limit > 0 && table.Len() >= limit {
			break
		}
	}
	return printOr(cmd, table, "no versions are stored")
}

func subjectList(to *connection) *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use: "list TYPE [FIELD=VALUE]", Short: "List subjects by an indexed field, or the deleted ones",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return listSubjects(cmd, to, args, deleted)
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "subjects whose profile is deleted, newest deletion first")
	return cmd
}

func listSubjects(cmd *cobra.Command, to *connection, args []string, deleted bool) error {
	field, value, _ := strings.Cut(strings.Join(args[1:], ""), "=")
	if deleted == (len(args) == 2) || !deleted && value == "" {
		return usagef("pass either a field, for example status=active, or --deleted")
	}
	subjects, service, err := to.openSubjects(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	table := terminal.NewTable(cmd.OutOrStdout())
	for p, err := range profiles(func(c lifecycle.Cursor) (lifecycle.ProfilePage, error) {
		if deleted {
			return service.ListDeleted(cmd.Context(), subjects.Name, c, 0)
		}
		return service.ListByField(cmd.Context(), subjects.Name, field, value, c, 0)
	}) {
		if err != nil {
			return err
		}
		table.Add(subjects.Path+"/"+p.Subject.ID, fmt.Sprintf("v%d", p.Version), max(p.UpdatedAt, p.DeletedAt).String(), arguments.FieldsText(p.Attrs))
	}
	return printOr(cmd, table, "no subjects")
}

// profiles returns an iterator over the profiles of all pages.
func profiles(read func(lifecycle.Cursor) (lifecycle.ProfilePage, error)) iter.Seq2[model.Profile, error] {
	return pages.Items(func(after lifecycle.Cursor) ([]model.Profile, lifecycle.Cursor, error) {
		page, err := read(after)
		return page.Profiles, page.Next, err
	})
}
