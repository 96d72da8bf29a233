package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

// content is a file in memory.
type content struct{ *bytes.Reader }

func (content) Close() error { return nil }

// FuzzInput reads any text under any name. Reading ends, and an observation that can be sent is
// on one line. Parquet is left to its library.
func FuzzInput(f *testing.F) {
	loaded := config.Default(domains.Kinds()...)
	kinds, err := loaded.Catalog()
	if err != nil {
		f.Fatal(err)
	}
	mapping := &points.Mapping{Catalog: kinds, Rows: loaded.Sources}
	kind, _ := kinds.Kind(iot.Readings.Name)
	for _, text := range []string{
		"deviceId,timestamp,temperature\nsensor_01,2026-04-20T14:00:00Z,22.4\n\"a\nb\",1,\n",
		"deviceId;timestamp;temperature\r\nsensor_01;20.04.2026 14:00;22,4\r\n",
		`{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z","temperature":22.4}` + "\n",
		`[{"deviceId":"sensor_01",` + "\n" + `"timestamp":"2026-04-20T14:00:00Z"}]`,
		"weather,host=a temp=22.4,ok=true 1776695400000000000\n# comment\n",
		"\ufeffa,b\n", "\xff\xfea\x00,\x00", "\x1f\x8b\x08\x00",
	} {
		f.Add("a.csv", []byte(text))
		f.Add("a.ndjson", []byte(text))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if bytes.HasPrefix(text, []byte("PAR1")) {
			t.Skip("no text: Parquet is left to its library, and to TestParquet_ADamagedFileIsReadOrAnError")
		}
		in := Input{Kind: kind, Points: mapping, Lenient: true, Open: func(string) (files.File, error) {
			return content{bytes.NewReader(text)}, nil
		}}
		n := 0
		err := in.Each([]string{"x" + name}, func(o Observation) error {
			if n++; n > 10*len(text)+10 {
				return errors.New("more observations than bytes")
			}
			if o.Problem == "" && bytes.Contains(o.Body, []byte("\n")) {
				t.Errorf("an observation of more than one line: %q", o.Body)
			}
			if o.Problem == "" && o.Timed && !json.Valid(o.Body) {
				t.Errorf("the time of %q was read, and it is no JSON", o.Body)
			}
			return nil
		})
		if err != nil && err.Error() == "more observations than bytes" {
			t.Error(err)
		}
	})
}

// The library panics on some files with a wrong byte.
func TestParquet_ADamagedFileIsReadOrAnError(t *testing.T) {
	type reading struct {
		DeviceID    string  `parquet:"deviceId"`
		Timestamp   int64   `parquet:"timestamp,timestamp"`
		Temperature float64 `parquet:"temperature"`
	}
	var whole bytes.Buffer
	if err := parquet.Write(&whole,
		[]reading{
			{DeviceID: "sensor_01", Timestamp: 1_776_695_400_000, Temperature: 22.4},
			{DeviceID: "sensor_02", Timestamp: 1_776_695_460_000, Temperature: -1},
		}); err != nil {
		t.Fatal(err)
	}
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for i := range whole.Len() {
		for _, flipped := range []byte{1, 0x80} {
			text := bytes.Clone(whole.Bytes())
			text[i] ^= flipped
			in := Input{Kind: &kinds.Kinds[0], Lenient: true, Open: func(string) (files.File, error) {
				return content{bytes.NewReader(text)}, nil
			}}
			if err := in.Each([]string{"a.parquet"}, func(Observation) error { return nil }); err != nil {
				failed++
			}
		}
	}
	if failed == 0 {
		t.Error("no damage was noticed")
	}
}
