package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const verifyLong = `Recount every bucket from its events and compare the stored rollups with that, byte
for byte. Nothing is written.

A row is sealed when some of what it was folded from has expired: nobody can recount
it, and its numbers no longer change. A row that is not exact says so itself and is
compared all the same. While events come in, a bucket may differ until aggregate has
looked at it: verify a stack that is idle ("tidemark replay --wait").

What differs is named: the bucket, its numbers, and the events that the row has not,
where its digest tells. "tidemark rebuild" mends it.

--quick compares digests first, and recounts only series of which one is wrong: a
digest tells that an event is missing, gone or changed, but not that somebody wrote
other numbers beside a right digest.

It reads each event and row once, without a subject the whole table twice (with
--quick, once).

Exit status: 0 all equal, or nothing to recount; 1 some differ; 2 asked wrongly; 3 could not be done.`

const verifyExample = `  tidemark verify
  tidemark verify devices/sensor_01 --from 2026-04-01 --to 2026-05-01
  tidemark verify --quick
  tidemark verify --subject devices/sensor_01 --tier hour`

// shownDifferences is how many differing buckets are told one by one.
const shownDifferences = 20

type verifyFlags struct {
	scopeFlags
	quick bool
}

func verifyCommand(to *connection) *cobra.Command {
	var flags verifyFlags
	cmd := &cobra.Command{
		Use:     "verify [SUBJECT]",
		Short:   "Recount every bucket from its events",
		Long:    verifyLong,
		Example: verifyExample,
		Args:    asUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verify(cmd, to, flags, args)
		},
	}
	cmd.Flags().StringVar(&flags.subject, "subject", "", "only this `subject`, as devices/sensor_01: the same as the argument")
	cmd.Flags().StringVar(&flags.from, "from", "", "only buckets from the coarsest one that holds this `time` on")
	cmd.Flags().StringVar(&flags.to, "to", "", "only buckets before the end of the coarsest one that holds this `time`")
	cmd.Flags().StringVar(&flags.tier, "tier", "", "only rows of this `tier`: minute, hour, day or month")
	cmd.Flags().BoolVar(&flags.quick, "quick", false, "compare digests first, recount only what looks wrong")
	return cmd
}

func verify(cmd *cobra.Command, to *connection, flags verifyFlags, args []string) error {
	ctx := cmd.Context()
	table, err := to.openTable(ctx)
	if err != nil {
		return err
	}
	kinds, err := to.catalog()
	if err != nil {
		return err
	}
	what, err := flags.parse(kinds, args)
	if err != nil {
		return err
	}
	began := time.Now()
	all, audited, err := toVerify(cmd, table, kinds, what, flags.quick)
	if err != nil {
		return err
	}
	report := newReport(what.tier)
	report.audited = audited
	p := newProgress(cmd.ErrOrStderr(), "verify", "series", len(all))
	for _, s := range all {
		if err := report.series(ctx, table, kinds, s, what.asked); err != nil {
			p.done()
			return err
		}
		p.add(1)
	}
	p.done()
	report.print(cmd.OutOrStdout(), time.Since(began))
	if !report.fine() {
		return checkFailed
	}
	return nil
}

// toVerify are the series to recount: all that are asked for, or, quickly, those of
// which a digest is wrong. audited reports whether digests stood for the others.
func toVerify(cmd *cobra.Command, table *dynamo.Table, kinds *catalog.Catalog, what scope, quick bool) (all []model.Series, audited bool, err error) {
	if !quick {
		all, err = seriesOf(cmd.Context(), table, kinds, what.subject)
		if err != nil {
			return nil, false, fmt.Errorf("find the series of table %s: %w", table.Name(), err)
		}
		return all, false, nil
	}
	p := newProgress(cmd.ErrOrStderr(), "audit", "items", 0)
	defer p.done()
	scan := &auditor{table: table, kinds: kinds, progress: p}
	suspects, err := scan.run(cmd.Context(), what.subject)
	if err != nil {
		return nil, false, fmt.Errorf("audit table %s: %w", table.Name(), err)
	}
	found := map[model.Series]bool{}
	for _, s := range suspects {
		found[s.key.Series] = true
	}
	for _, s := range scan.unknown() {
		found[s] = true
	}
	fmt.Fprintf(cmd.OutOrStdout(), "audited %s items by digest: %s series to recount\n", grouped(scan.items), grouped(len(found)))
	return slices.SortedFunc(maps.Keys(found), seriesOrder), scan.items > 0, nil
}

// report gathers findings.
type report struct {
	tier        tier.Unit                    // the only one that counts; zero counts all
	audited     bool                         // what was not recounted was found right by its digest
	counts      map[string]map[judgement]int // by tier
	tiers       []string                     // in order of first mention: fine to coarse
	inexact     map[string]int               // by tier
	seriesCount int
	events      int
	unknown     []string // series of kinds that are not declared
	differences []finding
}

func newReport(only tier.Unit) *report {
	return &report{tier: only, counts: map[string]map[judgement]int{}, inexact: map[string]int{}}
}

func (r *report) series(ctx context.Context, store seriesStore, kinds *catalog.Catalog, s model.Series, asked span) error {
	kind, ok := kinds.Kind(s.Kind)
	if !ok {
		r.unknown = append(r.unknown, s.String())
		return nil
	}
	one := recount{store: store, kind: kind, series: s, now: model.TimeOf(time.Now()), span: asked.widened(kind.Ladder)}
	findings, err := one.run(ctx)
	r.seriesCount++
	r.events += one.events
	if err != nil {
		return err
	}
	for _, f := range findings {
		if r.tier != 0 && f.key.Tier != r.tier.String() {
			continue
		}
		if !f.is.fine() && len(r.differences) < shownDifferences {
			if f.events, err = one.name(ctx, f); err != nil {
				return err
			}
		}
		r.add(f)
	}
	return nil
}

func (r *report) add(f finding) {
	if r.counts[f.key.Tier] == nil {
		r.counts[f.key.Tier] = map[judgement]int{}
		r.tiers = append(r.tiers, f.key.Tier)
	}
	r.counts[f.key.Tier][f.is]++
	if f.is == equal && !f.exact {
		r.inexact[f.key.Tier]++
	}
	if !f.is.fine() {
		r.differences = append(r.differences, f)
	}
}

// fine reports whether everything could be judged and is as it should be.
func (r *report) fine() bool { return len(r.differences) == 0 && len(r.unknown) == 0 }

func (r *report) print(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "recounted %s events of %s series in %s\n", grouped(r.events), grouped(r.seriesCount), took.Round(10*time.Millisecond))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "tier\t")
	for _, j := range judgements {
		fmt.Fprintf(table, "%s\t", j)
	}
	fmt.Fprintln(table, "not exact\t")
	for _, t := range r.tiers {
		fmt.Fprintf(table, "%s\t", t)
		for _, j := range judgements {
			fmt.Fprintf(table, "%s\t", grouped(r.counts[t][j]))
		}
		fmt.Fprintf(table, "%s\t\n", grouped(r.inexact[t]))
	}
	table.Flush()
	for _, f := range r.differences[:min(len(r.differences), shownDifferences)] {
		fmt.Fprintf(w, "%s %s %s: %s: %s\n", f.key.Series, f.key.Tier, f.key.Start, f.is, f.detail)
		if f.events != "" {
			fmt.Fprintf(w, "    %s\n", f.events)
		}
	}
	if more := len(r.differences) - shownDifferences; more > 0 {
		fmt.Fprintf(w, "… and %s more\n", grouped(more))
	}
	for _, s := range r.unknown {
		fmt.Fprintf(w, "%s: its kind is not declared: name its tidemark.yaml by --config\n", s)
	}
	switch {
	case !r.fine():
	case r.audited || len(r.counts) > 0:
		fmt.Fprintln(w, "every bucket says exactly what its events say")
	default:
		fmt.Fprintln(w, "nothing was recounted: no bucket was found")
	}
}
