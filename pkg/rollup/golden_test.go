package rollup_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; a change of the format needs a new Version")

// samples returns one summary of each form in the format.
func samples() map[string]*rollup.Summary {
	return map[string]*rollup.Summary{
		"no events":        rollup.New(station),
		"a station's hour": stationHour(rollup.New(station)),
		"three measures": stationHour(rollup.New(&rollup.Spec{Measures: []rollup.MeasureSpec{
			{Name: "battery", Scale: 9}, {Name: "humidity", Scale: 9}, {Name: "temperature", Scale: 9},
		}})),
		"numbers of every size":  everySize(),
		"invalid only":           newSummary(station, event(noon, "1", "humidity", "NaN", "temperature", "1e15")),
		"truncated":              newSummary(&rollup.Spec{MaxMeasures: 2}, event(noon, "1", "a", "1", "b", "2", "c", "3")),
		"distinct hashes":        visitors(0, 3),
		"distinct registers":     visitors(0, 300),
		"dimension":              paths(map[string]int{"/": 3, "/about": 1}),
		"dimension cut to a top": paths(map[string]int{"/": 5, "/about": 2, "/blog": 2, "/cart": 2}),
		"details":                stationHour(views(pageSpec(4, 600), 6, 80)),
		"counter":                meterHour(meter(3, 32)),
		"mean over time": meterHour(&rollup.Spec{Measures: []rollup.MeasureSpec{
			{Name: "kwh", Scale: 3, Counter: true, TimeMean: true}, {Name: "volts", TimeMean: true},
		}}),
		"members":             groupOfStations(),
		"counter of no steps": newSummary(meter(0, 0), event(noon, "1", "kwh", "7")),
		"counter and truncated": newSummary(&rollup.Spec{MaxMeasures: 2, Measures: meter(2, 0).Measures},
			event(noon, "1", "a", "1", "b", "2", "kwh", "3"), event(noon, "2", "kwh", "2.25")),
	}
}

func stationHour(s *rollup.Summary) *rollup.Summary {
	for i := range 60 {
		s.AddEvent(event(noon+model.Time(i)*60_000, fmt.Sprint(1000+i),
			"battery", fmt.Sprint(100-i/30),
			"humidity", fmt.Sprint(45+i%7),
			"temperature", fmt.Sprintf("%d.%d", 20+i%5, i%10)))
	}
	return s
}

// groupOfStations is an hour of a group of twelve members, with a member struck out.
func groupOfStations() *rollup.Summary {
	f := rollup.NewFold(station)
	for i := range 12 {
		f.AddRow(share(fmt.Sprintf("DEVICE#station-%02d", i), []int{i % 5, 3}, station))
	}
	f.Summary.StrikeMember("DEVICE#station-03")
	return f.Summary
}

func meterHour(spec *rollup.Spec) *rollup.Summary {
	s := rollup.New(spec)
	for i, v := range []string{"4294967295.25", "0.5", "12", "9", "9", "NaN"} {
		s.AddEvent(event(noon+model.Time(i)*60_000, "", "kwh", v, "volts", fmt.Sprint(230+i)))
	}
	return s
}

func everySize() *rollup.Summary {
	values := []string{"0", "-0.000000001", "0.000000001", "999999999999999.999999999",
		"-999999999999999.9999999999",
		"22.4", "1e14", "-1e14", "1e-40", "3.0000000005", "3.0000000015", "-274"}
	s := rollup.New(station)
	for i, v := range values {
		s.AddEvent(event(model.MinTime+model.Time(i), "", "temperature", v, "voltage", v, "zeta", v))
	}
	s.AddEvent(event(model.MaxTime, "\xff", "temperature", "-1"))
	return s
}

// Rows of earlier releases have these bytes. They must stay readable, and are written as they were read.
func TestGolden_BytesOfFormat1StayReadable(t *testing.T) {
	text, err := os.ReadFile(goldenPath("truncated format 1"))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	read, err := rollup.Decode(stored)
	if err != nil || !read.Truncated() || !bytes.Equal(read.Encode(nil), stored) {
		t.Fatalf("read %v, %v; want the same bytes again", read, err)
	}
	declares := func(names ...string) *rollup.Spec {
		spec := &rollup.Spec{}
		for _, name := range names {
			spec.Measures = append(spec.Measures, rollup.MeasureSpec{Name: name})
		}
		return spec
	}
	for spec, want := range map[*rollup.Spec]bool{declares("a", "b"): true, declares("a", "c"): false,
		declares("aa"): true} {
		day := rollup.NewFold(spec)
		day.AddRow(&rollup.Row{Fold: rollup.Fold{Summary: read, Exact: true}})
		if day.Exact != want || !day.Summary.Truncated() {
			t.Errorf("%+v: the coarser row is exact: %v, truncated: %v; want %v, true: names after b are omitted",
				spec.Measures, day.Exact, day.Summary.Truncated(), want)
		}
	}
}

func goldenPath(name string) string {
	return filepath.Join("testdata", strings.NewReplacer(" ", "-", "'", "").Replace(name)+".hex")
}

// These bytes are stored in rows: they must be the same on every machine, and every later
// release must read them.
func TestGolden_BytesAreTheSameOnEveryMachine(t *testing.T) {
	for name, s := range samples() {
		got := s.Encode(nil)
		if *update {
			if err := os.WriteFile(goldenPath(name), lines(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(goldenPath(name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		if err != nil {
			t.Fatalf("%s: %v", goldenPath(name), err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: got %x, want %x", name, got, want)
		}
		read, err := rollup.Decode(want)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again := read.Encode(nil); !bytes.Equal(again, want) {
			t.Errorf("%s: decoded and encoded again: %x, want %x", name, again, want)
		}
	}
}

// lines returns hexadecimal text with 32 bytes a line.
func lines(b []byte) []byte {
	var text bytes.Buffer
	for ; len(b) > 32; b = b[32:] {
		fmt.Fprintf(&text, "%x\n", b[:32])
	}
	fmt.Fprintf(&text, "%x\n", b)
	return text.Bytes()
}

func TestGolden_BytesAreTheSameOnArm64(t *testing.T) {
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		testenv.Missing(t, "qemu",
			"qemu-aarch64 (Debian: apt install qemu-user) is not installed: the arm64 build was not tested")
	}
	binary := filepath.Join(t.TempDir(), "rollup.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tests for arm64: %v\n%s", err, out)
	}
	run := exec.Command(qemu, binary, "-test.run", "BytesAreTheSameOnEveryMachine|OfHardCases|NearBeyond")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("arm64: %v\n%s", err, out)
	}
}

func TestEncode_RowOfThreeMeasuresIsSmall(t *testing.T) {
	if got := len(samples()["three measures"].Encode(nil)); got > 200 {
		t.Errorf("%d bytes for three measures without percentiles, want at most 200", got)
	}
}
