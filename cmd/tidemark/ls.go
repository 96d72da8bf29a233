package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const lsHelp = `List subjects, their streams and measures, and when they were seen

List what is stored: subjects with their kinds of event, streams and measures, and when
each was first and last seen. Times are rounded down to the hour; for kinds with immediate
hours, to the day. Subjects that have only a profile are listed too.

Measures are the numbers of the latest item; those that the kind declares if it has no
latest item. With --status or --account, the devices with such a profile are listed.

With --silent, the subjects of a type are listed that have sent nothing for a time, with the
time of their newest event. The time ends where the table stream is processed: an event that
is not processed yet makes no subject silent. A subject that has a profile and no event has
never sent.

With --by, the number of members of each group is printed, and with --silent how many of them
are silent: by the latest value of the field that groups are by, and in groups of profiles by
the profile of now. It reads the newest event of each subject: 0.5 read units each.

Series that were stored by an earlier release are listed after their next event, or after
"tidemark rebuild".

Exit status: 0 done, even if nothing was found; 2 wrong usage; 3 the table could not be
read.

Examples:
  tidemark ls
  tidemark ls devices
  tidemark ls devices/sensor_01
  tidemark ls devices --silent 30m
  tidemark ls devices --by by-site
  tidemark ls devices --silent 30m --by by-site
  tidemark ls devices --status active
  tidemark ls devices --account acme --seen`

func lsCommand(to *connection) *cobra.Command {
	var flags readFlags
	cmd := &cobra.Command{Use: "ls [TYPE[/ID]]", Long: lsHelp}
	cmd.Flags().StringVar(&flags.output, "output", tableOutput, "output `format`: table, json, ndjson or csv")
	cmd.Flags().IntVar(&flags.limit, "limit", 0, "the most series to list of each type of subject; 0 lists all")
	var devices deviceFlags
	devices.register(cmd)
	var silent silentFlags
	silent.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if devices.chosen() {
			return devices.list(cmd, list{output: flags.output}, to, strings.Join(args, ""))
		}
		if silent.chosen() {
			return silent.list(cmd, to, flags, strings.Join(args, ""))
		}
		return ls(cmd, to, flags, strings.Join(args, ""))
	}
	return cmd
}

func ls(cmd *cobra.Command, to *connection, flags readFlags, what string) error {
	ctx, from, kinds, err := flags.openTable(cmd, to)
	if err != nil {
		return err
	}
	subjects, err := arguments.Subjects(what, kinds)
	if err != nil {
		return err
	}
	progress, err := from.StreamProgress(ctx)
	if err != nil {
		return readFailure(err)
	}
	var found []storage.ListedSeries
	for _, s := range subjects {
		for l, err := range from.EachSeries(ctx, query.SeriesList{Subject: s, Limit: flags.limit}) {
			if err != nil {
				return readFailure(err)
			}
			found = append(found, l)
		}
	}
	seen, err := seenMeasures(ctx, from, kinds, found)
	if err != nil {
		return readFailure(err)
	}
	result := views.NewListedSubjects(query.SeriesPage{Series: found}, kinds, progress)
	result.SetMeasures(seen)
	return flags.print(cmd, from, result, bounds{Progress: progress}, func() error {
		if len(found) == 0 {
			if len(subjects) == 1 && reserved.Group(subjects[0].Type) {
				return printNone(cmd, "no group is listed: one is when its first bucket has closed")
			}
			return printNone(cmd, "nothing is listed yet: a subject is, some seconds after its first event. "+
				"Send one with \"tidemark send devices/sensor_01 temperature=22.4\", or load a file with "+
				"\"tidemark import FILE\"")
		}
		return printing.Series(cmd.OutOrStdout(), kinds, found, seen)
	})
}

// readsOfLatest is how many latest items are read at once.
const readsOfLatest = 16

// seenMeasures returns for each series the measures that were seen in its latest item: its numbers, and
// declared measures that are no number. It is nil for a series without a latest item: nothing is known
// without its rows.
func seenMeasures(ctx context.Context, from *seriesReader, kinds *catalog.Catalog,
	found []storage.ListedSeries) ([][]string, error) {
	seen := make([][]string, len(found))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(readsOfLatest)
	for i, l := range found {
		kind, declared := kinds.Kind(l.Series.Kind)
		if !declared || !kind.HasLatest() || !kind.HasEvents() {
			continue
		}
		reads.Go(func() error {
			latest, err := from.Latest(ctx,
				query.Series{Kind: kind, Subject: l.Series.Subject.ID, Stream: l.Series.Stream}, false)
			if err == nil && latest != nil {
				seen[i] = numbers(kind, latest.Attrs)
			}
			return err
		})
	}
	return seen, reads.Wait()
}

// numbers returns the names of fields that rollups summarize.
func numbers(kind *catalog.Kind, attrs model.Attrs) []string {
	found := []string{}
	for _, a := range attrs {
		isDeclared := func(m rollup.MeasureSpec) bool { return m.Name == a.Name }
		if a.Value.Kind == model.Number || slices.ContainsFunc(kind.Measures, isDeclared) {
			found = append(found, a.Name)
		}
	}
	return found
}
