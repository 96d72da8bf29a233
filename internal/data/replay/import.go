package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Import sends whole files, and continues where an earlier process stopped.
type Import struct {
	Input  formats.Input
	Sender *Sender
	// DryRun sends nothing, and prints what would be stored by the Limits of the deployment.
	DryRun bool
	Limits config.Limits
	Now    func() model.Time
	// Journal is the path of the record of progress; "" makes it from the input. The rejected
	// observations are in the same path with .rejected.csv.
	Journal string
}

// Run imports files, folders and locations in S3, and prints its progress to log and the outcomes to out. It
// returns the number of rejected observations.
func (i *Import) Run(ctx context.Context, locations []string, out, log io.Writer) (rejected int, err error) {
	names, err := files.Names(ctx, locations)
	if err != nil {
		return 0, err
	}
	i.Input.Lenient = true
	i.Input.Open = func(name string) (files.File, error) { return files.Open(ctx, name) }
	if i.DryRun {
		return i.forecast(names, out)
	}
	if slices.Contains(names, formats.StdinName) {
		return 0, usererr.Errorf(
			"standard input cannot be read again after an interruption: import a file, or omit --dry-run")
	}
	input, err := i.identity(names)
	if err != nil {
		return 0, err
	}
	if i.Journal == "" {
		i.Journal = "tidemark-import-" + input[:12] + ".json"
	}
	rejects := i.Journal + ".rejected.csv"
	journal, err := OpenJournal(i.Journal, rejects, input)
	if err != nil {
		return 0, err
	}
	if err := i.send(ctx, journal, names, out, log); err != nil {
		begun := journal.Total() > 0
		if begun {
			fmt.Fprintf(log, "stopped: run the same command again to continue; %s says how far it is\n",
				i.Journal)
		}
		_ = journal.Close(!begun) // err is the cause
		return 0, err
	}
	rejected = journal.Counts()[model.Rejected]
	if rejected > 0 {
		fmt.Fprintf(out, "the rejected rows are in %s with their lines and reasons\n", rejects)
	}
	return rejected, journal.Close(true)
}

func (i *Import) send(ctx context.Context, journal *Journal, names []string, out, log io.Writer) error {
	if journal.Resumed() > 0 {
		fmt.Fprintf(log, "continues after %s observations\n", terminal.Grouped(int(journal.Resumed())))
	}
	if journal.Total() == 0 {
		survey, err := i.Input.Survey(names)
		if err != nil {
			return err
		}
		journal.SetTotal(survey.Total)
	}
	i.Input.Notice = nil // the survey has shown the columns
	left := journal.Total() - int(journal.Resumed())
	progress, began := terminal.NewProgress(log, "import", "obs", left), time.Now()
	i.Sender.Journal, i.Sender.Progress = journal, progress.Add
	err := i.Sender.Send(ctx, func(send func(formats.Observation) error) error {
		return i.Input.Each(names, func(o formats.Observation) error { return i.pass(ctx, journal, o, send) })
	})
	progress.Done()
	if err != nil {
		return err
	}
	sent := Counts{count: journal.Counts(), rejections: i.Sender.Counts.rejections,
		byField: i.Sender.Counts.byField}
	sent.print(out, left, time.Since(began))
	return nil
}

// pass sends an observation that has no outcome yet.
func (i *Import) pass(ctx context.Context, journal *Journal, o formats.Observation,
	send func(formats.Observation) error) error {
	if o.Seq < journal.Resumed() {
		return nil
	}
	if err := journal.Await(ctx, o.Seq); err != nil {
		return err
	}
	if o.Problem != "" {
		i.Sender.Counts.reject(o.Location, o.Problem)
		journal.Settle(o, model.Rejected, o.Problem)
		i.Sender.Progress(1)
		return nil
	}
	o.Repeated = journal.maybeSent(o.Seq)
	return send(o)
}

// atEnds is how many bytes at each end of a file its identity depends on.
const atEnds = 64 << 10

// identity returns a digest of what is imported, how, and to where. A file is known by its name
// and size, and by its first and last bytes.
func (i *Import) identity(names []string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%v\n%v\n", i.Sender.URL, i.Sender.Strict, i.Input.Columns)
	fmt.Fprintf(sum, "%v\n%v\n%v\n", i.Input.Types, i.Input.Mark, i.Input.Shape)
	for _, name := range names {
		file, err := i.Input.Open(name)
		if err != nil {
			return "", usererr.Errorf("read the input: %w", err)
		}
		fmt.Fprintf(sum, "%s %d\n", name, file.Size())
		for _, at := range []int64{0, max(0, file.Size()-atEnds)} {
			_, err = io.Copy(sum, io.NewSectionReader(file, at, atEnds))
			if err != nil {
				break
			}
		}
		file.Close()
		if err != nil {
			return "", fmt.Errorf("read %s: %w", name, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
