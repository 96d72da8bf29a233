package formats

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// nem12 is the first record of interval data of Australian meters, by AEMO's "Meter Data File Format
// Specification NEM12 & NEM13". Its times are of Eastern Standard Time in every state, without summer time.
var nem12 = regexp.MustCompile(`^"?100"?,"?NEM12"?,`)

var easternStandard = time.FixedZone("", 10*60*60)

// The cells of records: of 200 the meter, of 300 a day, of 400 the quality of intervals of the day before it.
const (
	meterNMI, meterSuffix, meterUnit, meterInterval = 1, 4, 7, 8
	dayDate, dayValues                              = 1, 2
	eventFrom, eventTo, eventQuality                = 1, 2, 3
)

// intervalQuality follows the values of a day: actual, estimated, final substitute, null, substitute or
// variable, and a method.
var intervalQuality = regexp.MustCompile(`^[AEFNSV]\d{0,2}$`)

// nullData begins the quality of an interval without a value, whose cell has 0.
const nullData = "N"

// openNEM12 reads the intervals of a file like rows of a table. The time of a row is the beginning of its
// interval.
func (in Input) openNEM12(name string, text *bufio.Reader) (reader, error) {
	r := &csvReader{name: name, kind: in.Kind, clock: in.Clock, lenient: in.Lenient, columns: in.Columns,
		shape: Shape{Constants: in.Shape.Constants}}
	rows := &intervalRows{reader: r, rows: layout{separator: ','}.reader(text)}
	r.source = rows.read
	header := []string{
		r.kind.Subject.Field, catalog.StreamField, catalog.TimeField, "value", "quality", "unit",
	}
	for range header {
		r.types = append(r.types, columns.Column{Type: columns.Text})
	}
	r.types[slices.Index(header, "value")] = columns.Column{Type: columns.Number}
	if err := r.setHeader(header, nil); err != nil {
		return nil, err
	}
	if r.guessed && in.Notice != nil {
		in.Notice(r.describe("intervals of meters, as NEM12 has them"))
	}
	return r, nil
}

// record is one line of a file.
type record struct {
	cells []string
	line  int
}

// cell returns a cell, "" if the record is shorter.
func (r record) cell(i int) string {
	if i >= len(r.cells) {
		return ""
	}
	return strings.TrimSpace(r.cells[i])
}

// intervalRows reads intervals as rows.
type intervalRows struct {
	reader *csvReader
	rows   csvRows
	meter  record     // the last record 200
	ahead  *record    // one that is read and not yet used
	left   [][]string // intervals of the day in a line
	line   int
}

func (n *intervalRows) read() (row []string, line int, err error) {
	for len(n.left) == 0 {
		next, err := n.next()
		if err != nil {
			return nil, next.line, err
		}
		switch next.cell(0) {
		case "200":
			n.meter = next
		case "300":
			if n.left, err = n.day(next); err != nil {
				return nil, next.line, n.reader.wrong(next.line, strings.Join(next.cells, ","), "%w", err)
			}
			n.line = next.line
		}
	}
	row, n.left = n.left[0], n.left[1:]
	return row, n.line, nil
}

// next returns the next record.
func (n *intervalRows) next() (next record, err error) {
	if n.ahead != nil {
		next, n.ahead = *n.ahead, nil
		return next, nil
	}
	if next.cells, err = n.rows.Read(); err != nil {
		return next, n.reader.failure(err)
	}
	next.line, _ = n.rows.FieldPos(0)
	return next, nil
}

// day returns the rows of a day, and reads the records 400 that say the quality of its intervals.
func (n *intervalRows) day(day record) (rows [][]string, err error) {
	minutes, err := strconv.Atoi(n.meter.cell(meterInterval))
	if err != nil || minutes <= 0 || 24*60%minutes != 0 {
		return nil, errors.New("no record 200 in front of it says how long its intervals are")
	}
	at, err := time.ParseInLocation("20060102", day.cell(dayDate), easternStandard)
	count := 24 * 60 / minutes
	if err != nil || !intervalQuality.MatchString(day.cell(dayValues+count)) {
		return nil, usererr.Errorf("want a date such as 20261101, %d values of intervals of %d minutes, and "+
			"their quality", count, minutes)
	}
	quality := slices.Repeat([]string{day.cell(dayValues + count)}, count)
	if err := n.qualities(quality); err != nil {
		return nil, err
	}
	for i := range count {
		value := day.cell(dayValues + i)
		if strings.HasPrefix(quality[i], nullData) {
			value = ""
		}
		begin := at.Add(time.Duration(i*minutes) * time.Minute).Format(time.RFC3339)
		rows = append(rows, []string{
			n.meter.cell(meterNMI), n.meter.cell(meterSuffix), begin, value, quality[i],
			n.meter.cell(meterUnit),
		})
	}
	return rows, nil
}

// qualities reads the records 400 that follow a day into the quality of its intervals.
func (n *intervalRows) qualities(quality []string) error {
	for {
		next, err := n.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case next.cell(0) != "400":
			n.ahead = &next
			return nil
		}
		from, errFrom := strconv.Atoi(next.cell(eventFrom))
		to, errTo := strconv.Atoi(next.cell(eventTo))
		if errFrom != nil || errTo != nil || from < 1 || to < from || to > len(quality) {
			return usererr.Errorf("the record 400 behind it names no intervals of the day")
		}
		for i := from - 1; i < to; i++ {
			quality[i] = next.cell(eventQuality)
		}
	}
}
