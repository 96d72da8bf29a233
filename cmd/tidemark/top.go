package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

type topFlags struct {
	readFlags
	tier, members, by string
	lowest            bool
	increase          string
	alerts            bool
	severity          string
}

const topHelp = `Show the most frequent values of a dimension, or the first groups or members

Show the most frequent values of a dimension, such as the pages of a site that were
viewed most, with their shares of all counted events. It adds up the buckets of one tier
in the half-open range [--from, --to). If a subject has several kinds of event, all of
them are counted together unless --kind chooses.

A row keeps the most frequent values of its bucket and adds up the rest. Where that
happened, a value may be more frequent than shown, and the last line says so.

With --members it shows the ten members of a group, such as the devices of a site, that
have the highest values of a measure, or the lowest with --lowest. In each of them a
member counts with its highest (lowest) value in the range. By sum, mean and count they
are known of one bucket of the finest tier.

With --increase it shows what a counter, such as the meters of a site, has counted in the
range: of each group of a type, or of each member of one group. It reads the rows of all
members of the type, and counts readings without a stream unless --stream names others.

With --alerts it shows the subjects of a type that had the most alerts in the range, at most
the last 90 days: older alerts expire. It reads the alerts of every subject of the type.

Exit status: 0 done, even if nothing was found; 2 wrong usage; 3 the table could not be
read.

Examples:
  tidemark top sites/my-site path --kind pageviews --from 2026-04-01 --to 2026-05-01
  tidemark top sites/my-site country --tier minute --last 5m
  tidemark top by-site/berlin --members temperature --last 24h
  tidemark top by-site/berlin --members temperature --by mean --tier hour \
    --from 2026-04-20T14:00:00Z --to 2026-04-20T15:00:00Z
  tidemark top by-site --increase energy --from 2026-04-01 --to 2026-05-01
  tidemark top by-site/berlin --increase energy --last 30d
  tidemark top devices --alerts --last 30d`

func topCommand(to *connection) *cobra.Command {
	var flags topFlags
	cmd := &cobra.Command{Use: "top SUBJECT|TYPE [DIMENSION]", Long: topHelp}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 10, "values", false)
	cmd.Flags().StringVar(&flags.tier, "tier", "",
		"`tier`: "+tier.UnitNames()+", if the kind has it (default day; in a time zone exactly the range)")
	cmd.Flags().StringVar(&flags.members, "members", "",
		"show the members of a group by this `measure`, in place of a dimension")
	cmd.Flags().StringVar(&flags.by, "by", "",
		"with --members, the `statistic`: max, min, sum, mean or count (default max, or min with --lowest)")
	cmd.Flags().BoolVar(&flags.lowest, "lowest", false, "with --members, the lowest first")
	cmd.Flags().StringVar(&flags.increase, "increase", "",
		"show what this `counter` of the members of groups has counted, in place of a dimension")
	cmd.Flags().BoolVar(&flags.alerts, "alerts", false,
		"show the subjects of a type that had the most alerts, in place of a dimension")
	cmd.Flags().StringVar(&flags.severity, "severity", "",
		"with --alerts, only this `severity`: critical, warning or info")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := flags.check(len(args) == 2); err != nil {
			return err
		}
		switch {
		case flags.alerts:
			return topAlerts(cmd, to, flags, args)
		case flags.increase != "":
			return topIncreases(cmd, to, flags, args[0])
		case flags.members != "":
			return topMembers(cmd, to, flags, args[0])
		}
		return top(cmd, to, flags, args[0], args[1])
	}
	return cmd
}

// check returns the error of flags that do not go together, or not with a dimension. See topAlerts for flags
// beside --alerts.
func (f *topFlags) check(dimension bool) error {
	switch {
	case f.alerts:
	case f.severity != "":
		return usagef("--severity is of alerts: add --alerts")
	case f.increase != "" && (f.members != "" || dimension):
		return usagef("want a dimension, --members MEASURE or --increase COUNTER: only one of them")
	case f.increase != "" && f.tier != "":
		return usagef("--tier does not go with --increase: it reads all tiers")
	case f.members == "" && (f.by != "" || f.lowest):
		return usagef("--by and --lowest are of the members of a group: name a measure with --members")
	case f.increase == "" && (f.members == "") != dimension:
		return usagef("want a dimension, --members MEASURE, --increase COUNTER or --alerts")
	}
	return nil
}

// topMembers shows the first members of a group.
func topMembers(cmd *cobra.Command, to *connection, flags topFlags, subject string) error {
	ctx, from, err := flags.open(cmd, to, subject)
	if err != nil {
		return err
	}
	by := cmp.Or(flags.by, map[bool]string{false: "max", true: "min"}[flags.lowest])
	q := query.Members{Rollups: from.rollups, Measure: flags.members, Values: flags.limit,
		Ranking: rollup.Ranking{By: rollup.Statistic(by), Lowest: flags.lowest}}
	unit := "day"
	if !q.Ranking.Merges() {
		unit = q.Kind.Retention.Finest().Unit.String()
	}
	if q.Unit, err = names.Tier(cmp.Or(flags.tier, unit)); err != nil {
		return err
	}
	if q.From, q.To, err = flags.bucketRange(q.Unit, from.Now()); err != nil {
		return err
	}
	ranks, total, err := from.Members(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	return flags.print(cmd, from, views.FromMembers(q, ranks, total), totalBounds(total), func() error {
		return printing.Members(cmd.OutOrStdout(), q, ranks, total, from.units())
	})
}

// topAlerts shows the subjects of a type by the number of their alerts.
func topAlerts(cmd *cobra.Command, to *connection, flags topFlags, args []string) error {
	if len(args) > 1 {
		return usagef("%s: --alerts takes the place of a dimension", args[1])
	}
	for _, name := range []string{"kind", "stream", "tier", "members", "by", "lowest", "increase", "newest"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s does not go with --alerts, which counts the alerts of all kinds", name)
		}
	}
	severity, err := parseSeverity(flags.severity)
	if err != nil {
		return err
	}
	ctx, from, kinds, err := flags.openTable(cmd, to)
	if err != nil {
		return err
	}
	subject, err := arguments.RuleSubject(kinds, args[0])
	if err != nil {
		return err
	}
	if subject.ID != "" {
		return usagef("%s: want a TYPE; tidemark alerts %[1]s lists the alerts of one subject", args[0])
	}
	q := query.AlertCounts{SubjectType: subject.Type, Severity: severity}
	if q.From, q.To, err = flags.timeRange(from.Now()); err != nil {
		return err
	}
	page, err := from.AllAlertCounts(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	return flags.print(cmd, from, views.NewAlertCounts(page), bounds{Progress: page.Progress}, func() error {
		return flags.times.AlertCounts(cmd.OutOrStdout(), page, flags.limit)
	})
}

// topIncreases shows the groups of a type, or the members of a group, by what a counter has counted.
func topIncreases(cmd *cobra.Command, to *connection, flags topFlags, what string) error {
	ctx, from, kinds, err := flags.openTable(cmd, to)
	if err != nil {
		return err
	}
	subject, err := arguments.RuleSubject(kinds, what)
	if err != nil {
		return err
	}
	of, err := arguments.Kinds(kinds, subject, flags.kinds)
	if err != nil {
		return err
	}
	from.rollups.Kind, from.rollups.With = of[0], of[1:]
	if _, err := from.single(); err != nil {
		return err
	}
	q := query.Increases{By: of[0], Of: of[0], Streams: flags.streams, Measure: flags.increase,
		Consistent: flags.consistent}
	if member, found := kinds.Kind(q.By.GroupsOf); found {
		q.Of = member
	}
	if q.From, q.To, err = flags.timeRange(from.Now()); err != nil {
		return err
	}
	page, err := from.AllIncreases(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	result := views.NewIncreases(q, page, subject.ID)
	return flags.print(cmd, from, result, bounds{Progress: page.Progress}, func() error {
		return flags.times.Increases(cmd.OutOrStdout(), q, page, subject.ID, flags.limit, query.Units(q.Of))
	})
}

func top(cmd *cobra.Command, to *connection, flags topFlags, subject, dimension string) error {
	ctx, from, err := flags.openInZone(cmd, to, subject)
	if err != nil {
		return err
	}
	q := query.Top{Rollups: from.rollups, Dimension: dimension, Values: flags.limit}
	bounds := flags.timeRange
	if flags.tier != "" || flags.times.Zone == nil {
		if q.Unit, err = names.Tier(cmp.Or(flags.tier, "day")); err != nil {
			return err
		}
		bounds = func(now model.Time) (from, to model.Time, err error) { return flags.bucketRange(q.Unit, now) }
	}
	if q.From, q.To, err = bounds(from.Now()); err != nil {
		return err
	}
	values, total, err := from.Top(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	return flags.print(cmd, from, views.NewTop(q, values, total), totalBounds(total), func() error {
		if total.Summary.Events()+total.Unreadable == 0 && len(total.Missing) == 0 {
			from.printNone(ctx, cmd.ErrOrStderr())
		}
		return printing.Top(cmd.OutOrStdout(), dimension, values, total)
	})
}

// showTotal shows one summary of a range.
func showTotal(cmd *cobra.Command, to *connection, flags readFlags, subject string) error {
	ctx, from, err := flags.openInZone(cmd, to, subject)
	if err != nil {
		return err
	}
	q := from.rollups
	if q.From, q.To, err = flags.timeRange(from.Now()); err != nil {
		return err
	}
	t, err := from.RangeTotal(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	return flags.print(cmd, from, views.NewTotal(t), totalBounds(t.Total), func() error {
		if t.Summary.Events()+t.Unreadable == 0 {
			from.printNone(ctx, cmd.ErrOrStderr())
		}
		return printing.Total(cmd.OutOrStdout(), t, from.units())
	})
}

func totalBounds(t query.Total) bounds { return bounds{Progress: t.Progress, missing: t.Missing} }
