package replay

import (
	"crypto/rand"
	"fmt"
	"hash/maphash"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const (
	// pricePerUnit is the price of a write unit in dollars, on demand in us-east-1, as in docs/run/COST.md.
	pricePerUnit = 0.625e-6
	// localRate is how many observations "tidemark dev" stores a second on two cores.
	localRate = 700
)

// forecast reads the files and prints what an import would store. It returns the number of
// observations that would be rejected.
func (i *Import) forecast(names []string, out io.Writer) (rejected int, err error) {
	var found forecast
	check := ingest.Checker{Kind: i.Input.Kind, Limits: i.Limits, Now: i.Now(), Rand: rand.Reader}
	err = i.Input.Each(names, func(o formats.Observation) error {
		reason := o.Problem
		var e model.Event
		if reason == "" {
			would := result{Outcome: model.Applied}
			if e, would.Errors, would.NotStored, err = check.Parts(ingest.DecodeObject(o.Body)); err != nil {
				return err
			}
			if reason = would.reason(); reason != "" {
				would.Outcome = model.Rejected
			} else {
				would.Invalid = ingest.InvalidMeasures(i.Input.Kind, e.Attrs)
			}
			found.counts.fields(o, would)
		}
		if reason != "" {
			found.counts.reject(o.Location, reason)
			return nil
		}
		found.add(i.Input.Kind, &e)
		found.identify(o.Location, &e)
		return nil
	})
	if err != nil {
		return 0, err
	}
	found.print(out)
	return found.counts.Count(model.Rejected), nil
}

// forecast is what an import would store.
type forecast struct {
	counts   Counts
	rows     int
	subjects map[string]bool
	units    int             // write units of events and latest items
	buckets  map[bucket]bool // rows of rollups that would be written
	first    model.Time
	last     model.Time

	seed       maphash.Seed
	identities map[uint64]bool // hashes of the first events
	repeated   int             // events with the identity of another one
	firstAgain string          // where the first of these is
}

// mostIdentities is how many events are compared: a hash takes some twenty bytes.
const mostIdentities = 1_000_000

// identify counts an event whose identity another event has. Several rows of a series with one time are a
// sign that the time of day, or what tells the series apart, is in a column that is not read as such.
func (f *forecast) identify(location string, e *model.Event) {
	if f.identities == nil {
		f.seed, f.identities = maphash.MakeSeed(), map[uint64]bool{}
	}
	identity := maphash.Comparable(f.seed, struct {
		series model.Series
		at     model.Time
		id     string
	}{e.Series, e.At, e.ID})
	switch {
	case f.identities[identity]:
		if f.repeated++; f.repeated == 1 {
			f.firstAgain = location
		}
	case len(f.identities) < mostIdentities:
		f.identities[identity] = true
	}
}

type bucket struct {
	series model.Series
	tier.Bucket
}

func (f *forecast) add(kind *catalog.Kind, e *model.Event) {
	if f.rows == 0 {
		f.subjects = map[string]bool{}
		f.buckets = map[bucket]bool{}
		f.first = e.At
		f.last = e.At
	}
	f.rows++
	f.subjects[e.Series.Subject.ID] = true
	f.first, f.last = min(f.first, e.At), max(f.last, e.At)
	size := (item.FromEvent(e).Size() + 1023) / 1024
	f.units += size
	if kind.LatestInTransaction() {
		f.units += 3 * size // a transaction costs twice, and writes the latest item too
	}
	for _, t := range kind.Retention.Tiers {
		f.buckets[bucket{e.Series, t.Unit.BucketAt(e.At)}] = true
	}
}

func (f *forecast) print(w io.Writer) {
	fmt.Fprintf(w, "%s rows of %s subjects would be stored, %s rejected\n", terminal.Grouped(f.rows),
		terminal.Grouped(len(f.subjects)), terminal.Grouped(f.counts.Count(model.Rejected)))
	if f.rows > 0 {
		fmt.Fprintf(w, "times   %s to %s\n", f.first, f.last)
		units := f.units + len(f.buckets)
		fmt.Fprintf(w, "price   about $%.2f: %s write units on demand in us-east-1, %s of them for "+
			"rollups, if each is written once\n", float64(units)*pricePerUnit, terminal.Grouped(units),
			terminal.Grouped(len(f.buckets)))
		took := time.Duration(float64(f.rows)/localRate*1000) * time.Millisecond
		fmt.Fprintf(w, "time    about %s with \"tidemark dev\" on two cores; a deployed table is limited "+
			"by its write capacity\n", took.Round(time.Second))
	}
	if f.repeated > 0 {
		fmt.Fprintf(w, "again   %s rows have the subject, stream, time and id of an earlier row, the first "+
			"at %s, and are no events of their own. If a column has the time of day, pass --map "+
			"time=DAY+TIME; if it names the series, --map stream=COLUMN\n", terminal.Grouped(f.repeated),
			f.firstAgain)
	}
	f.counts.printFields(w)
	for _, reason := range f.counts.rejections {
		fmt.Fprintf(w, "  rejected %s\n", reason)
	}
}
