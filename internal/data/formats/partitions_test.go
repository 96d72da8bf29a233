package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// A table that is divided by folders, as Spark, Hive and DuckDB write it, has the values of the folders in
// its path. They are texts: 007 is a code. The parts of a time are not used.
func TestCSV_ThePathOfAPartitionHasColumns(t *testing.T) {
	t.Parallel()
	const at = `"timestamp":"2026-11-01T10:00:00Z"`
	for _, tc := range []struct{ path, columns, want string }{
		{path: "year=2026/device=d%2F1", want: `{"deviceId":"d/1",` + at + `,"x":1}`},
		{path: "device=d1/room=007", want: `{"deviceId":"d1",` + at + `,"x":1,"room":"007"}`},
		{path: "device=d1/room=__HIVE_DEFAULT_PARTITION__", want: `{"deviceId":"d1",` + at + `,"x":1}`},
		{path: "room=r", columns: "subject=room", want: `{"deviceId":"r",` + at + `,"x":1}`},
		{path: "day=4/room=r", columns: "subject=room,time=time,x=x",
			want: `{"deviceId":"r",` + at + `,"x":1}`},
	} {
		name := filepath.Join(t.TempDir(), tc.path, "part-0.csv")
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("time,x\n2026-11-01T10:00:00Z,1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var notice strings.Builder
		in := Input{Kind: readings(t), Notice: func(text string) { notice.WriteString(text) }}
		if tc.columns != "" {
			var err error
			if in.Columns, err = ParseColumns(tc.columns, in.Kind); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		err := in.Each([]string{name}, func(o Observation) error {
			got += string(o.Body)
			return nil
		})
		if err != nil || got != tc.want {
			t.Errorf("%s: %s, %v; want %s", tc.path, got, err, tc.want)
		}
		isUnused := strings.HasPrefix(tc.path, "year")
		if isUnused != strings.Contains(notice.String(), `"year" of`) {
			t.Errorf("%s: the notice is\n%s", tc.path, notice.String())
		}
	}
}

// Objects below such folders have their values, too.
func TestInput_ThePathOfAPartitionHasMembers(t *testing.T) {
	t.Parallel()
	const at = `"timestamp":"2026-11-01T10:00:00Z"`
	for _, tc := range []struct{ path, object, want string }{
		{path: "year=2026/device=d%2F1", object: `{"time":"2026-11-01T10:00:00Z","x":1}`,
			want: `{"deviceId":"d/1",` + at + `,"x":1}`},
		{path: "kind=OTHER/day=2026-11-01", object: `{"deviceId":"a",` + at + `,"x":1}`, // as exported
			want: `{"deviceId":"a",` + at + `,"x":1}`},
		{path: "device=d1/room=007", object: `{"time":"2026-11-01T10:00:00Z","x":1}`,
			want: `{"deviceId":"d1","room":"007",` + at + `,"x":1}`},
		{path: "device=d1", object: `{"deviceId":"a",` + at + `,"device":"b"}`,
			want: `{"deviceId":"a",` + at + `,"device":"b"}`},
	} {
		name := filepath.Join(t.TempDir(), tc.path, "part-0.ndjson")
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(tc.object+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in := Input{Kind: readings(t)}
		err := in.Each([]string{name}, func(o Observation) error {
			if got := string(o.Body); got != tc.want {
				t.Errorf("%s: %s, want %s", tc.path, got, tc.want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", tc.path, err)
		}
	}
}

func TestInput_ReadsTextOfTheEncodingThatIsGiven(t *testing.T) {
	t.Parallel()
	const table = "Gerät;Zeit;Wärme\r\nkühl;2026-11-01T10:00:00Z;21,5\r\n"
	text, err := charmap.Windows1252.NewEncoder().String(table)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Kind: readings(t)}
	err = readOne(t, in, "t.csv", text)
	if err == nil || !strings.Contains(err.Error(), "--encoding windows-1252") {
		t.Errorf("without an encoding: %v, want an error that names --encoding", err)
	}
	if in.Encoding, err = ParseEncoding("cp1252"); err != nil {
		t.Fatal(err)
	}
	if err := readOne(t, in, "t.csv", text); err != nil {
		t.Errorf("in cp1252: %v", err)
	}
	if _, err := ParseEncoding("ansi"); err == nil {
		t.Error("ansi is the name of no encoding, and was taken for one")
	}
}
