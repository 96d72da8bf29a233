package export

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Command is what a user asked to export.
type Command struct {
	Tier, Out  string          // of rollups that are one table; an empty Out is standard output
	Subjects   []model.Subject // as of a Source
	Zone       *time.Location  // the rollups are of its days, weeks, months or quarters; nil means buckets
	Format, To string          // with To they are an archive
	Kinds      []string
	Full       bool
}

// parallel is how many series are read at the same time.
const parallel = 8

// Check returns a usage error if the values do not fit together.
func (c Command) Check(d Dataset) error {
	if err := CheckFormat(c.Format, c.To+c.Out != ""); err != nil {
		return err
	}
	if c.To != "" && (len(c.Subjects) > 0 || c.Zone != nil) {
		return usererr.Errorf(
			"--to writes files of all series by UTC: leave out SUBJECT and --zone, or write one file with --out")
	}
	if c.Zone != nil {
		if _, err := times.ParseUnit(c.Tier); err != nil {
			return usererr.Errorf("--tier %s with --zone: %w", c.Tier, err)
		}
		return nil
	}
	switch _, err := names.Tier(c.Tier); {
	case d.Name == Events.Name && c.To == "":
		return usererr.Errorf("--to is missing: events are written to files; name a folder or s3://BUCKET/PREFIX")
	case d.Name == Events.Name || c.Tier == AllTiers && c.Out == "":
		return nil
	case c.To != "":
		return usererr.Errorf("--to writes files with all tiers: leave out --out and --tier")
	case err != nil && c.Tier != AllTiers:
		return fmt.Errorf("%w; %q means every tier", err, AllTiers)
	}
	return nil
}

// Table is a table that can be exported.
type Table interface {
	query.Store
	query.TableStore
}

// Run runs a command that was checked. The output goes to out, the progress to log.
func (c Command) Run(ctx context.Context, d Dataset, table Table, kinds *catalog.Catalog,
	now func() model.Time, out, log io.Writer) error {
	selected, err := names.Kinds(kinds, c.Kinds)
	if err != nil {
		return err
	}
	swept, err := table.Sweeps(ctx)
	if err != nil {
		return err
	}
	progress, err := query.TableProgress(ctx, table, kinds)
	if err != nil {
		return err
	}
	live := &query.Live{Store: table, Watermarks: query.Swept(swept), Kind: query.CatalogKinds(kinds), Now: now}
	source := Source{Query: &query.Service{Store: live, Now: now}, Catalog: kinds, Kinds: selected,
		Subjects: c.Subjects, Parallel: parallel}
	if c.To != "" {
		archive := Archive{
			Source: source, Dataset: d, Format: c.Format, Settle: DefaultSettle, Full: c.Full,
			Now: now(), Progress: progress,
		}
		return archive.RunTo(ctx, c.To, out, log)
	}
	warn(log, progress, now())
	shown := terminal.NewProgress(log, "export", "series", 0)
	defer shown.Done()
	return files.WriteTo(ctx, c.Out, out, func(w io.Writer) error {
		if c.Zone != nil {
			return source.LocalRollups(ctx, w, c.Zone, times.Unit(c.Tier), c.Format, shown.Add)
		}
		return source.Rollups(ctx, w, c.Tier, c.Format, shown.Add)
	})
}

// warn says which changes the files may lack.
func warn(log io.Writer, p query.Progress, now model.Time) {
	for _, text := range p.Warnings(now) {
		fmt.Fprintln(log, text)
	}
}

// RunTo runs the archive to a location. It prints to log what the export will read, and its
// progress, and to out what the manifest lists.
func (a *Archive) RunTo(ctx context.Context, location string, out, log io.Writer) error {
	folder, err := files.At(ctx, location)
	if err != nil {
		return err
	}
	ctx, meter := model.WithReadMeter(ctx)
	warn(log, a.Progress, a.Now)
	shown := terminal.NewProgress(log, "export", "rows", 0)
	defer shown.Done()
	a.To, a.Written = folder, shown.Add
	a.Plan = func(series, partitions int, units float64) {
		fmt.Fprintf(log, "%s series, up to %s files to write: at least %s read units\n", terminal.Grouped(series),
			terminal.Grouped(partitions), terminal.Grouped(int(units+0.5)))
	}
	began := time.Now()
	manifest, err := a.Run(ctx)
	if err != nil {
		return err
	}
	if n := manifest.Unreadable(); n > 0 {
		fmt.Fprintf(out, "%s events cannot be decoded and are in no file: the manifest names them\n",
			terminal.Grouped(int(n)))
	}
	if manifest.NotReadAgain > 0 {
		fmt.Fprintf(out, "%s complete files were not read again; --full reads them\n",
			terminal.Grouped(manifest.NotReadAgain))
	}
	_, err = fmt.Fprintf(out, "%s rows in %s files, listed in %s of %s (%s, %.1f read units)\n",
		terminal.Grouped(int(manifest.Rows())), terminal.Grouped(len(manifest.Files)),
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
		fmt.Fprintf(out, "%s files compared, %s wrong\n", terminal.Grouped(checked),
			terminal.Grouped(len(problems)))
	}
	return len(problems) == 0, err
}
