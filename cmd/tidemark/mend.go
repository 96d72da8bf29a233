package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// mender finds what is suspect by one scan of the table, and looks at that again: the
// way to what changed in a range of arrival, which no key is ordered by.
type mender struct {
	table *dynamo.Table
	kinds *catalog.Catalog
	agg   *aggregate.Aggregator
	terms aggregate.Terms
	rate  float64 // looks a second; zero sets no limit
	cmd   *cobra.Command

	changed int // rows that did not hold what their children say
}

// mend looks again at every bucket that an event came to in one of the ranges, and at
// every other whose digest is wrong. A sealed row of the former is marked.
func (m *mender) mend(ctx context.Context, gaps []model.Gap) error {
	out := m.cmd.OutOrStdout()
	for _, g := range gaps {
		fmt.Fprintf(out, "what arrived in %s..%s\n", g.From, g.To)
	}
	found, err := m.find(ctx, arrivedIn(gaps))
	if err != nil {
		return err
	}
	return m.lookAgain(ctx, found, out)
}

func (m *mender) find(ctx context.Context, again func(*model.Event) bool) ([]suspect, error) {
	p := newProgress(m.cmd.ErrOrStderr(), "audit", "items", 0)
	defer p.done()
	scan := &auditor{table: m.table, kinds: m.kinds, again: again, progress: p}
	found, err := scan.run(ctx, model.Subject{})
	if err != nil {
		return nil, fmt.Errorf("audit table %s: %w", m.table.Name(), err)
	}
	fmt.Fprintf(m.cmd.OutOrStdout(), "audited %s items: %s buckets to look at again\n", grouped(scan.items), grouped(len(found)))
	return found, nil
}

// lookAgain looks at suspects, some at a time so that the rate is kept.
func (m *mender) lookAgain(ctx context.Context, found []suspect, out io.Writer) error {
	p := newProgress(m.cmd.ErrOrStderr(), "look again", "buckets", len(found))
	defer p.done()
	told := newTold()
	m.terms.Manner, m.terms.Found = aggregate.MarkSealed, told.take
	var total aggregate.Counts
	for chunk := range slices.Chunk(places(found), m.chunk()) {
		began := time.Now()
		report := m.agg.Revisit(ctx, chunk, m.terms)
		total.Add(&report.Counts)
		if len(report.Failures) > 0 {
			return fmt.Errorf("look again: %w", report.Failures[0].Err)
		}
		p.add(len(chunk))
		if m.rate > 0 {
			due := time.Duration(float64(report.Looks) / m.rate * float64(time.Second))
			if err := retry.Sleep(ctx, max(0, due-time.Since(began))); err != nil {
				return err
			}
		}
	}
	m.changed = total.Changed
	changed := "changed"
	if m.terms.DryRun {
		changed = "would change; nothing was written"
	}
	fmt.Fprintf(out, "looked at %s buckets: %s sealed, %s not made, %s %s\n",
		grouped(total.Looks), grouped(total.Sealed), grouped(total.NotMade), grouped(total.Changed), changed)
	told.print(out, total.Changed)
	return nil
}

func (m *mender) chunk() int {
	if m.rate > 0 {
		return max(1, min(500, int(m.rate)))
	}
	return 500
}
