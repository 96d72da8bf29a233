package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func subjectGet(to *connection) *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use: "get SUBJECT", Short: "Show a subject's profile",
		Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			subject, service, err := to.life(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			read, what := service.Get, "has no profile"
			if deleted {
				read, what = service.Deleted, "is not deleted"
			}
			p, err := read(cmd.Context(), subject)
			if err != nil {
				return err
			}
			if p == nil {
				return no(cmd.ErrOrStderr(), "%s %s", subject, what)
			}
			return printJSON(cmd.OutOrStdout(), envelope.ProfileOf(p))
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "the one in the bin")
	return cmd
}

// no says that there is nothing to show.
func no(w io.Writer, format string, args ...any) error {
	fmt.Fprintf(w, "tidemark: "+format+"\n", args...)
	return checkFailed
}

func subjectVersions(to *connection) *cobra.Command {
	var version int64
	var limit int
	cmd := &cobra.Command{
		Use: "versions SUBJECT", Short: "List what a profile was, newest first, or show one version",
		Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			subject, service, err := to.life(cmd.Context(), args[0])
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
				return no(cmd.ErrOrStderr(), "%s has no version %d, or it is kept no longer", subject, version)
			}
			return printJSON(cmd.OutOrStdout(), envelope.VersionOf(v))
		},
	}
	cmd.Flags().Int64Var(&version, "version", 0, "show this `version` whole")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many at most; 0 means all")
	return cmd
}

func listVersions(cmd *cobra.Command, service *lifecycle.Service, subject model.Subject, limit int) error {
	g := newGrid(cmd.OutOrStdout())
	for before, shown := int64(0), 0; ; {
		page, next, err := service.Versions(cmd.Context(), subject, before, limit)
		if err != nil {
			return err
		}
		for _, v := range page {
			g.add(fmt.Sprintf("v%d", v.Version), max(v.UpdatedAt, v.DeletedAt).String(), string(v.Change), fieldsText(v.Attrs))
		}
		shown += len(page)
		if before = next; next == 0 || limit > 0 && shown >= limit {
			return g.printOr(cmd, "no versions are kept")
		}
	}
}

// fieldsText is fields on a line, as they are given to create.
func fieldsText(attrs model.Attrs) string {
	var parts []string
	for _, a := range attrs {
		switch a.Value.Kind {
		case model.Number:
			parts = append(parts, a.Name+":="+a.Value.Number.String())
		case model.Bool:
			parts = append(parts, fmt.Sprintf("%s:=%v", a.Name, a.Value.Bool))
		default:
			parts = append(parts, a.Name+"="+a.Value.Text)
		}
	}
	return strings.Join(parts, " ")
}

func subjectList(to *connection) *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use: "list SUBJECTS [FIELD=VALUE]", Short: "List subjects by an indexed field, or those in the bin",
		Example: "  tidemark subject list devices status=active\n  tidemark subject list devices --deleted",
		Args:    asUsage(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return listSubjects(cmd, to, args, deleted)
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "those in the bin, latest first")
	return cmd
}

func listSubjects(cmd *cobra.Command, to *connection, args []string, deleted bool) error {
	kinds, err := to.catalog()
	if err != nil {
		return err
	}
	types := kinds.Subjects()
	of := slices.IndexFunc(types, func(s subjectType) bool { return s.Path == args[0] || s.Name == args[0] })
	if of < 0 {
		return usagef("%q: want %s", args[0], strings.ReplaceAll(strings.Join(subjectForms(kinds), " or "), "/ID", ""))
	}
	field, value, _ := strings.Cut(strings.Join(args[1:], ""), "=")
	if deleted == (len(args) == 2) || !deleted && value == "" {
		return usagef("say either by which field, as status=active, or --deleted")
	}
	_, service, err := to.life(cmd.Context(), types[of].Path+"/any")
	if err != nil {
		return err
	}
	g := newGrid(cmd.OutOrStdout())
	for c, first := (lifecycle.Cursor{}), true; first || c != (lifecycle.Cursor{}); first = false {
		var found lifecycle.Found
		if deleted {
			found, err = service.ListDeleted(cmd.Context(), types[of].Name, c, 0)
		} else {
			found, err = service.ByField(cmd.Context(), types[of].Name, field, value, c, 0)
		}
		if err != nil {
			return err
		}
		for _, p := range found.Profiles {
			g.add(types[of].Path+"/"+p.Subject.ID, fmt.Sprintf("v%d", p.Version), max(p.UpdatedAt, p.DeletedAt).String(), fieldsText(p.Attrs))
		}
		c = found.Next
	}
	return g.printOr(cmd, "no subjects")
}
