package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const verifyLong = `Recount every bucket from its events and compare the stored rollups with that, byte
for byte. Nothing is written.

A row is sealed when some of what it was folded from has expired: nobody can recount
it, and its numbers no longer change. A row that is not exact says so itself and is
compared all the same. While events come in, a bucket may differ until aggregate has
looked at it: verify a stack that is idle ("tidemark replay --wait").

Exit status: 0 all equal; 1 some differ; 2 asked wrongly; 3 could not be done.`

const verifyExample = `  tidemark verify
  tidemark verify --subject devices/sensor_01 --from 2026-04-01 --to 2026-05-01`

// shownDifferences is how many differing buckets are told one by one.
const shownDifferences = 20

type verifyFlags struct{ subject, from, to string }

func verifyCommand(to *connection) *cobra.Command {
	var flags verifyFlags
	cmd := &cobra.Command{
		Use:     "verify",
		Short:   "Recount every bucket from its events",
		Long:    verifyLong,
		Example: verifyExample,
		Args:    asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return verify(cmd, to, flags)
		},
	}
	cmd.Flags().StringVar(&flags.subject, "subject", "", "only this `subject`, as devices/sensor_01")
	cmd.Flags().StringVar(&flags.from, "from", "", "only buckets from the coarsest one that holds this `time` on")
	cmd.Flags().StringVar(&flags.to, "to", "", "only buckets before the end of the coarsest one that holds this `time`")
	return cmd
}

func verify(cmd *cobra.Command, to *connection, flags verifyFlags) error {
	ctx := cmd.Context()
	table, err := to.openTable(ctx)
	if err != nil {
		return err
	}
	kinds, err := to.catalog()
	if err != nil {
		return err
	}
	asked, subject, err := flags.parse(kinds)
	if err != nil {
		return err
	}
	began := time.Now()
	all, err := seriesOf(ctx, table, kinds, subject)
	if err != nil {
		return fmt.Errorf("find the series of table %s: %w", table.Name(), err)
	}
	report := newReport()
	p := newProgress(cmd.ErrOrStderr(), "verify", "series", len(all))
	for _, s := range all {
		if err := report.series(ctx, table, kinds, s, asked); err != nil {
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

func (f verifyFlags) parse(kinds *catalog.Catalog) (asked span, subject model.Subject, err error) {
	asked = span{from: model.MinTime, to: model.MaxTime}
	if f.from != "" {
		if asked.from, err = parseDay(f.from); err != nil {
			return asked, subject, usagef("--from: %w", err)
		}
	}
	if f.to != "" {
		if asked.to, err = parseDay(f.to); err != nil {
			return asked, subject, usagef("--to: %w", err)
		}
	}
	if f.subject != "" {
		subject, err = findSubject(f.subject, kinds)
	}
	return asked, subject, err
}

// parseDay reads a time, or a date for its first instant.
func parseDay(text string) (model.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return model.TimeOf(day), nil
	}
	return model.ParseTime(text, model.RejectFiner)
}

// report gathers findings.
type report struct {
	counts      map[string]map[judgement]int // by tier
	tiers       []string                     // in order of first mention: fine to coarse
	inexact     map[string]int               // by tier
	seriesCount int
	events      int
	unknown     []string // series of kinds that are not declared
	differences []finding
}

func newReport() *report {
	return &report{counts: map[string]map[judgement]int{}, inexact: map[string]int{}}
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
	for _, f := range findings {
		r.add(f)
	}
	return err
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
	}
	if more := len(r.differences) - shownDifferences; more > 0 {
		fmt.Fprintf(w, "… and %s more\n", grouped(more))
	}
	for _, s := range r.unknown {
		fmt.Fprintf(w, "%s: its kind is not declared: name its tidemark.yaml by --config\n", s)
	}
	if r.fine() {
		fmt.Fprintln(w, "every bucket says exactly what its events say")
	}
}
