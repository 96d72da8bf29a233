package export

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/files"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/model"
)

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
