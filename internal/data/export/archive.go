package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Archive writes a dataset as one file for each kind and day, or month. The files of days
// that a manifest lists as complete are kept, so a second export writes what is new.
type Archive struct {
	Source
	Dataset Dataset
	Format  string
	To      files.Folder
	// Settle is the time after its end at which a day is taken for complete. Events that
	// arrive later are exported only with Full.
	Settle time.Duration
	Full   bool // read every day again; the manifest then lists only what the table still has
	Now    model.Time
	// Progress is what of the table is processed, read before the export: arrivals until then are in the list
	// of series, and no later day is complete. Without it, all is.
	Progress query.Progress
	// Plan is called before the first file with the number of series, of days or months to
	// write, and of the read units that this costs at least; may be nil.
	Plan func(series, partitions int, units float64)
	// Written is called with how many more rows were written; may be nil.
	Written func(rows int)
}

// DefaultSettle is the usual Archive.Settle: within three days, senders that were offline for a
// weekend have sent what they kept.
const DefaultSettle = 3 * tier.Day24

// Dataset is what an archive has, with what reads it.
type Dataset struct {
	columns.Dataset
	read func(s Source, ctx context.Context, of *listed, from, to model.Time, emit func(entry) error) error
}

// The datasets.
var (
	Events     = Dataset{columns.Events, Source.readEvents}
	RollupRows = Dataset{columns.Rollups, Source.readAllRollups}
)

func (s Source) readAllRollups(ctx context.Context, of *listed, from, to model.Time,
	emit func(entry) error) error {
	return s.readRollups(ctx, of.Series, AllTiers, from, to, emit)
}

// Datasets are all of them.
var Datasets = []Dataset{Events, RollupRows}

// Run writes what the earlier manifest has not, and returns the new manifest.
func (a *Archive) Run(ctx context.Context) (*Manifest, error) {
	earlier, err := ReadManifest(ctx, a.To, a.Dataset.Name)
	if err != nil {
		return nil, err
	}
	if earlier != nil && earlier.Format != a.Format {
		return nil, usererr.Errorf(
			"the folder has an export of %s as %s: pass --format %s, or export to another folder", a.Dataset.Name,
			earlier.Format, earlier.Format)
	}
	all, err := a.series(ctx)
	if err != nil {
		return nil, err
	}
	next := &Manifest{
		Version: manifestVersion, Dataset: a.Dataset.Name, Format: a.Format, AsOf: a.Now,
		Progress: views.FromProgress(a.Progress),
	}
	known := earlier.complete()
	if a.Full {
		known = nil
	}
	for _, p := range known {
		next.Files, next.NotReadAgain = append(next.Files, p), next.NotReadAgain+1
	}
	todo := slices.DeleteFunc(a.partitions(all), func(p partition) bool { return known[p.path()].Complete })
	before, err := readKnownSeries(ctx, a.To, earlier)
	if err != nil {
		return nil, err
	}
	if !a.Full {
		todo = append(todo, a.newHistory(all, known, before)...)
	}
	a.announce(all, todo)
	for _, p := range todo {
		part, err := a.write(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("export %s of %s: %w", p.kind.Name, p.label, err)
		}
		if part.Rows > 0 || part.Unreadable > 0 {
			next.Files = append(next.Files, part)
		}
	}
	slices.SortFunc(next.Files, func(x, y Part) int { return strings.Compare(x.Path, y.Path) })
	if err := next.storeSeries(ctx, a.To, earlier, all); err != nil {
		return nil, err
	}
	return next, next.store(ctx, a.To)
}

func (a *Archive) announce(all []listed, todo []partition) {
	if a.Plan == nil {
		return
	}
	reads := 0
	for _, p := range todo {
		for i := range p.series {
			if p.covers(&p.series[i]) {
				reads++
			}
		}
	}
	a.Plan(len(all), len(todo), float64(reads)/2) // an eventually consistent read costs at least half a unit
}

// partition is the time of one file.
type partition struct {
	archive  *Archive
	kind     *catalog.Kind
	series   []listed // of the kind
	label    string
	from, to model.Time
	number   int // of a further file of the same time; 0 is the first one
}

func (p partition) path() string {
	d, number := p.archive.Dataset, ""
	if p.number > 0 {
		number = fmt.Sprint("-", p.number)
	}
	return fmt.Sprintf("%s/%s=%s/part%s.%s", d.Folder(p.kind), d.Unit, p.label, number, p.archive.Format)
}

func (p partition) covers(l *listed) bool { return p.label == columns.AllTimes || l.first < p.to }

// partitions returns the days or months from the first event of each kind to now. The last
// events in the list of series are no end: the list is behind while the stream is.
func (a *Archive) partitions(all []listed) (found []partition) {
	for len(all) > 0 {
		kind, n := all[0].Kind, 1
		for n < len(all) && all[n].Kind == kind {
			n++
		}
		if a.Dataset.Has(kind) {
			found = append(found, a.findPartitions(kind, all[:n])...)
		}
		all = all[n:]
	}
	return found
}

func (a *Archive) findPartitions(kind *catalog.Kind, series []listed) (found []partition) {
	if kind.OrderBy != "" {
		return []partition{{archive: a, kind: kind, series: series, label: columns.AllTimes, from: model.MinTime,
			to: model.MaxTime + 1}}
	}
	first, last := series[0].first, max(a.Now, series[0].last)
	for _, l := range series {
		first, last = min(first, l.first), max(last, l.last)
	}
	end := a.Dataset.Unit.BucketAt(last).End
	for b := a.Dataset.Unit.BucketAt(first); b.Start < end; b = a.Dataset.Unit.BucketAt(b.End) {
		found = append(found,
			partition{archive: a, kind: kind, series: series, label: b.Label(), from: b.Start, to: b.End})
	}
	return found
}

// listed returns the time up to which arrivals are in the list of series.
func (a *Archive) listed() model.Time {
	if at := a.Progress.ProcessedThrough; at == nil || *at == model.MinTime {
		return a.Now
	}
	return min(*a.Progress.ProcessedThrough, a.Now)
}

// write writes one file. A partition without rows has none.
func (a *Archive) write(ctx context.Context, p partition) (Part, error) {
	var present []*listed
	for i := range p.series {
		if p.covers(&p.series[i]) {
			present = append(present, &p.series[i])
		}
	}
	part := Part{Path: p.path(), Kind: p.kind.Name, Partition: p.label, AsOf: a.Now}
	part.Complete = p.label != columns.AllTimes && p.to.Add(a.Settle) <= a.listed()
	if len(present) == 0 {
		return part, nil
	}
	read := func(ctx context.Context, i int, emit func(entry) error) error {
		return a.Dataset.read(a.Source, ctx, present[i], p.from, p.to, emit)
	}
	err := a.To.Create(ctx, part.Path, func(w io.Writer) error {
		sum := sha256.New()
		counted := &countingWriter{w: io.MultiWriter(w, sum)}
		out, err := formats[a.Format].open(counted, a.Dataset.Columns(p.kind))
		if err != nil {
			return err
		}
		err = inOrder(ctx, len(present), a.Parallel, read, func(e entry) error {
			if lost, ok := e.(event); ok && lost.Unreadable {
				part.lose(lost)
				return nil
			}
			part.Rows++
			if a.Written != nil {
				a.Written(1)
			}
			return out.write(e)
		})
		if err != nil {
			return err
		}
		if part.Rows+part.Unreadable == 0 {
			return errNoRows // leaves no file
		}
		err = out.close()
		part.Bytes, part.SHA256 = counted.n, hex.EncodeToString(sum.Sum(nil))
		return err
	})
	if errors.Is(err, errNoRows) {
		err = nil
	}
	return part, err
}

var errNoRows = errors.New("no rows")

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
