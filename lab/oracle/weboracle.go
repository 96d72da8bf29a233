package oracle

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Bucket is a bucket of a site.
type Bucket struct {
	Tier  tier.Unit
	Site  string
	Start model.Time
}

func (b Bucket) String() string { return fmt.Sprintf("%s %s %s", b.Site, b.Tier, b.Start) }

// Expect is the expected content of one bucket.
type Expect struct {
	Events, PageViews, Malformed, S4xx, S5xx int64
	Visitors, VisitorsAny                    int64 // of page views; of everything
	BytesN                                   int64
	Sum, Min, Max, First, Last               model.Decimal // of bytes
	Sessions, SessionsActive, Bounces        int64
	BounceRate, AvgSession, PagesPerSession  float64 // 0 without sessions; AvgSession in seconds
	// Top are the ten most frequent values of a dimension of page views or sessions.
	Top map[string][]rollup.ValueCount
}

// tops maps the dimensions to their names in the oracle. The oracle counts an exit in the hour of
// the last view, and a session in the hour of the first.
var tops = map[string]string{"path": webfield.Path, "referrer_host": webfield.Referrer,
	"entry_path": webfield.Entry}

// ReadOracle reads both files of the oracle.
func ReadOracle(buckets, top string) (map[Bucket]*Expect, error) {
	expects := map[Bucket]*Expect{}
	err := readCSV(buckets, func(r *row) {
		expects[r.bucket()] = &Expect{
			Events: r.int("events"), PageViews: r.int("pageviews"), Malformed: r.int("malformed"),
			S4xx: r.int("s4xx"), S5xx: r.int("s5xx"),
			Visitors: r.int("visitors"), VisitorsAny: r.int("visitors_any"), BytesN: r.int("bytes_n"),
			Sum: r.decimal("bytes_sum"), Min: r.decimal("bytes_min"), Max: r.decimal("bytes_max"),
			First: r.decimal("bytes_first"), Last: r.decimal("bytes_last"),
			Sessions: r.int("sessions"), SessionsActive: r.int("sessions_active"), Bounces: r.int("bounces"),
			BounceRate: r.float("bounce_rate"), AvgSession: r.float("avg_session_s"),
			PagesPerSession: r.float("pages_per_session"),
			Top:             map[string][]rollup.ValueCount{},
		}
	})
	if err != nil {
		return nil, err
	}
	return expects, readCSV(top, func(r *row) {
		e, dimension := expects[r.bucket()], tops[r.get("dim")]
		if e != nil && dimension != "" {
			e.Top[dimension] = append(e.Top[dimension], rollup.ValueCount{Value: r.get("key"), Count: r.int("n")})
		}
	})
}

// row decodes cells and keeps the first error.
type row struct {
	at    map[string]int
	cells []string
	err   error
}

func (r *row) get(column string) string { return r.cells[r.at[column]] }

func (r *row) keep(column string, err error) {
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("column %s: %w", column, err)
	}
}

func (r *row) int(column string) int64 {
	n, err := strconv.ParseInt(r.get(column), 10, 64)
	r.keep(column, err)
	return n
}

// float returns 0 for an empty cell.
func (r *row) float(column string) float64 {
	x, err := strconv.ParseFloat(cmp.Or(r.get(column), "0"), 64)
	r.keep(column, err)
	return x
}

func (r *row) decimal(column string) model.Decimal {
	d, err := model.ParseDecimal(r.get(column))
	r.keep(column, err)
	return d
}

func (r *row) bucket() Bucket {
	unit, err := tier.ParseUnit(r.get("tier"))
	r.keep("tier", err)
	start, err := model.ParseTime(r.get("bucket"), model.RejectFinerTime)
	r.keep("bucket", err)
	return Bucket{Tier: unit, Site: r.get("site"), Start: start}
}

// readCSV calls each for every row of a gzipped CSV file with a header.
func readCSV(path string, each func(*row)) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the oracle: %w", err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	rows, r := csv.NewReader(unzipped), &row{at: map[string]int{}}
	header, err := rows.Read()
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	for i, column := range header {
		r.at[column] = i
	}
	for line := 2; ; line++ {
		r.cells, err = rows.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			each(r)
			err = r.err
		}
		if err != nil {
			return fmt.Errorf("read %s line %d: %w", path, line, err)
		}
	}
}
