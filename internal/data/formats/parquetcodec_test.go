package formats

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// parquetRow has a column of each way in which pages are encoded: a dictionary, deltas, and plain values.
type parquetRow struct {
	Device string    `parquet:"device,dict"`
	Time   time.Time `parquet:"time,timestamp(millisecond),delta"`
	X      int64     `parquet:"x"`
	Y      *float64  `parquet:"y,optional"`
}

// Pages in each compression and version have the values that were written. One that the library does not read
// right is refused by name.
func TestParquet_ReadsPagesInEachCompressionOrRefusesThem(t *testing.T) {
	t.Parallel()
	codecs := []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli,
		&parquet.Zstd, &parquet.Lz4Raw}
	for _, codec := range codecs {
		for version := range 2 {
			for _, page := range []int{500, 5000, 1 << 20} {
				name := fmt.Sprintf("%s, version %d, pages of %d bytes", codec, version+1, page)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					rows, path := writeParquet(t, parquet.Compression(codec), parquet.PageBufferSize(page),
						parquet.DataPageVersion(version+1))
					n := 0
					err := Input{Kind: readings(t)}.Each([]string{path}, func(o Observation) error {
						want := fmt.Sprintf(`{"deviceId":%q,"timestamp":"%s","x":%d`, rows[n].Device,
							rows[n].Time.Format(localTime+"Z"), rows[n].X)
						if y := rows[n].Y; y != nil {
							want += fmt.Sprintf(`,"y":%v`, *y)
						}
						if want += "}"; string(o.Body) != want {
							return fmt.Errorf("row %d is %s, want %s", n, o.Body, want)
						}
						n++
						return nil
					})
					switch isRefused := usererr.Is(err) && strings.Contains(err.Error(), "LZ4_RAW"); {
					case codec == &parquet.Lz4Raw && !isRefused:
						t.Errorf("%v, want an error that names the compression", err)
					case codec != &parquet.Lz4Raw && (err != nil || n != len(rows)):
						t.Errorf("%d of %d rows, %v", n, len(rows), err)
					}
				})
			}
		}
	}
}

func writeParquet(t *testing.T, options ...parquet.WriterOption) (rows []parquetRow, path string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1500 {
		row := parquetRow{Device: fmt.Sprint("d", r.IntN(5)), X: r.Int64N(1 << 40),
			Time: time.UnixMilli(1793527200000 + int64(i)*1000).UTC()}
		if y := float64(r.IntN(1000)) / 8; i%5 > 0 {
			row.Y = &y
		}
		rows = append(rows, row)
	}
	path = filepath.Join(t.TempDir(), "t.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := parquet.NewGenericWriter[parquetRow](file, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return rows, path
}

// Texts have the spaces and newlines that were written. Names lose those at their ends, as in any table.
func TestParquet_KeepsTextsAsTheyAre(t *testing.T) {
	t.Parallel()
	type row struct {
		Device string `parquet:"device"`
		Time   int64  `parquet:"time"`
		Note   string `parquet:"note"`
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	rows := []row{{Device: "d ", Time: 1_793_527_200, Note: " two\nlines\n"}}
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	got := readAll(t, Input{Kind: readings(t)}, path)
	device, note := member(t, got[0].Body, "deviceId"), member(t, got[0].Body, "note")
	if device != `"d"` || note != `" two\nlines\n"` {
		t.Errorf("device %s, note %s", device, note)
	}
}
