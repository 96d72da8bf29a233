package export

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/files"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Command is what a user asked to export.
type Command struct {
	Tier, Out  string // of rollups that are one table; an empty Out is standard output
	Format, To string // with To they are an archive
	Kinds      []string
	Full       bool
}

// parallel is how many series are read at the same time.
const parallel = 8

// Check returns a usage error if the values do not fit together.
func (c Command) Check(d Dataset) error {
	if err := CheckFormat(c.Format, c.To != ""); err != nil {
		return err
	}
	switch _, err := tier.ParseUnit(c.Tier); {
	case d.Name == Events.Name && c.To == "":
		return usage.Errorf("--to is missing: events are written to files; name a folder or s3://BUCKET/PREFIX")
	case d.Name == Events.Name || c.Tier == AllTiers && c.Out == "":
		return nil
	case c.To != "":
		return usage.Errorf("--to writes files with all tiers: leave out --out and --tier")
	case err != nil && c.Tier != AllTiers:
		return usage.Errorf("--tier: %w, or all", err)
	}
	return nil
}

// Table is a table that can be exported.
type Table interface {
	query.Store
	query.LowWatermarks
	// GetItem reads one item, strongly consistent; nil if there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
}

// processedThrough returns the time up to which the table stream is processed, and all series
// of earlier arrivals are listed; now if the table does not record it.
func processedThrough(ctx context.Context, table Table, now model.Time) (model.Time, error) {
	it, err := table.GetItem(ctx, tablekeys.StreamProgress())
	if it == nil || err != nil {
		return now, err
	}
	at, err := item.StreamProgress(it)
	return min(at, now), err
}

// Run runs a command that was checked. The output goes to out, the progress to log.
func (c Command) Run(ctx context.Context, d Dataset, table Table, kinds *catalog.Catalog, now func() model.Time, out, log io.Writer) error {
	selected, err := arguments.KindsNamed(kinds, c.Kinds)
	if err != nil {
		return err
	}
	swept, err := table.Sweeps(ctx)
	if err != nil {
		return err
	}
	live := &query.Live{Store: table, Watermarks: query.Swept(swept), Kind: query.KindsOf(kinds), Now: now}
	source := Source{Query: &query.Service{Store: live, Now: now}, Catalog: kinds, Kinds: selected, Parallel: parallel}
	if c.To != "" {
		through, err := processedThrough(ctx, table, now())
		if err != nil {
			return err
		}
		archive := Archive{Source: source, Dataset: d, Format: c.Format, Settle: DefaultSettle, Full: c.Full, Now: now(), Listed: through}
		return archive.RunTo(ctx, c.To, out, log)
	}
	progress := terminal.NewProgress(log, "export", "series", 0)
	defer progress.Done()
	return files.WriteTo(ctx, c.Out, out, func(w io.Writer) error {
		return source.Rollups(ctx, w, c.Tier, c.Format, progress.Add)
	})
}

// RunTo runs the archive to a location. It prints to log what the export will read, and its
// progress, and to out what the manifest lists.
func (a *Archive) RunTo(ctx context.Context, location string, out, log io.Writer) error {
	folder, err := files.At(ctx, location)
	if err != nil {
		return err
	}
	ctx, meter := model.WithReadMeter(ctx)
	progress := terminal.NewProgress(log, "export", "rows", 0)
	defer progress.Done()
	a.To, a.Progress = folder, progress.Add
	a.Plan = func(series, partitions int, units float64) {
		fmt.Fprintf(log, "%s series, up to %s files to write: at least %s read units\n", terminal.Grouped(series), terminal.Grouped(partitions), terminal.Grouped(int(units+0.5)))
	}
	began := time.Now()
	manifest, err := a.Run(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s rows in %s files, listed in %s of %s (%s, %.1f read units)\n", terminal.Grouped(int(manifest.Rows())), terminal.Grouped(len(manifest.Files)),
		manifestName(a.Dataset.Name), location, time.Since(began).Round(time.Millisecond), meter.Cost().Units)
	return err
}

// RunCheck checks the files of a location, and prints what is wrong with them.
func RunCheck(ctx context.Context, location string, out io.Writer) (ok bool, err error) {
	problems, checked, err := CheckAll(ctx, location)
	for _, p := range problems {
		fmt.Fprintln(out, p)
	}
	if err == nil {
		fmt.Fprintf(out, "%s files compared, %s wrong\n", terminal.Grouped(checked), terminal.Grouped(len(problems)))
	}
	return len(problems) == 0, err
}
