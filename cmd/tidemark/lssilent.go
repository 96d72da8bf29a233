package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// silentFlags choose the subjects that have sent nothing for a time, or the groups whose members are
// counted.
type silentFlags struct {
	span times.Span
	kind string
	by   string
}

func (f *silentFlags) register(cmd *cobra.Command) {
	cmd.Flags().Var(&f.span, "silent", "list subjects of TYPE without an event of this `duration`, such as 30m")
	cmd.Flags().StringVar(&f.kind, "kind", "", "with --silent: only events of this `kind`")
	cmd.Flags().StringVar(&f.by, "by", "",
		"count members by groups of this `type`, such as by-site; with --silent, also silent ones")
}

func (f *silentFlags) chosen() bool { return f.span != 0 || f.kind != "" || f.by != "" }

// query returns the query of the flags, for the subjects of the type that what names.
func (f *silentFlags) query(kinds *catalog.Catalog, what string, limit int) (q query.Silent, err error) {
	subject, err := arguments.RuleSubject(kinds, what)
	switch {
	case err != nil:
		return q, err
	case subject.ID != "":
		return q, usagef("--silent and --by are of the subjects of a type: tidemark ls TYPE --silent 30m")
	case f.span == 0 && (f.by == "" || f.kind != ""):
		return q, usagef("--kind needs --silent: tidemark ls TYPE --silent 30m")
	}
	q = query.Silent{
		SubjectType: subject.Type, Kinds: query.CatalogKinds(kinds), For: time.Duration(f.span), Limit: limit,
	}
	if f.kind != "" {
		if q.Kind, err = arguments.RuleKind(kinds, subject.Type, f.kind); err != nil {
			return q, err
		}
	}
	if f.by != "" {
		q.Limit = 0 // the limit is of lists
		q.Members = true
		of, _ := kinds.SubjectType(subject.Type)
		q.By, err = arguments.GroupKind(kinds, of, f.by)
	}
	return q, err
}

// list lists the silent subjects of a type.
func (f *silentFlags) list(cmd *cobra.Command, to *connection, flags readFlags, what string) error {
	ctx, from, kinds, err := flags.openTable(cmd, to)
	if err != nil {
		return err
	}
	q, err := f.query(kinds, what, flags.limit)
	if err != nil {
		return err
	}
	progress, err := from.StreamProgress(ctx)
	if err != nil {
		return readFailure(err)
	}
	of, _ := kinds.SubjectType(q.SubjectType)
	if q.Through, err = from.SilentThrough(ctx, kinds.SubjectKinds(of), progress); err != nil {
		return readFailure(err)
	}
	found, err := paging.Collect(from.EachSilent(ctx, q))
	if err != nil {
		return readFailure(err)
	}
	var result any = views.NewSilent(query.SilentPage{Subjects: found}, q.Through, progress)
	counts := query.CountSilent(found)
	if q.By != nil {
		result = views.NewSilentCounts(q, counts, "", progress)
	}
	return flags.print(cmd, from, result, bounds{Progress: progress}, func() error {
		switch {
		case q.Through <= model.MinTime:
			return printNone(cmd, "nothing was processed yet: no subject is known to be silent")
		case len(found) == 0 && q.Members:
			return printNone(cmd, "no subject of "+what+" is listed")
		case len(found) == 0:
			none := "no subject of %s was silent for %s before %s"
			return printNone(cmd, fmt.Sprintf(none, what, f.span.Text(), q.Through))
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "known through %s\n", q.Through)
		if q.By != nil {
			return printing.SilentCounts(cmd.OutOrStdout(), q, counts)
		}
		return printing.Silent(cmd.OutOrStdout(), kinds, found, q.Through)
	})
}
