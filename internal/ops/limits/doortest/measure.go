//go:build unix

package doortest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ops/limits"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Sent is what a request did, beside its reads, which are counted in its context.
type Sent struct {
	Writes int // write units
	Bytes  int // of the response
}

// Figures are what a request took.
type Figures struct{ Seconds, Megabytes, Read, Write, Sent float64 }

// Measure sends the worst request of a door and fails above one of its bounds. No other test may run at the
// same time, since allocations of the whole process count.
func Measure(t *testing.T, name string, send func(context.Context) Sent) {
	t.Helper()
	at := slices.IndexFunc(limits.Doors, func(d limits.Door) bool { return d.Name == name })
	if at < 0 {
		t.Fatalf("limits.Doors has no door %q", name)
	}
	d := &limits.Doors[at]
	ctx, meter := model.WithReadMeter(t.Context())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := cpu(t)
	sent := send(ctx)
	f := Figures{Seconds: (cpu(t) - began).Seconds(), Read: meter.Cost().Units, Write: float64(sent.Writes)}
	runtime.ReadMemStats(&after)
	f.Megabytes = float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
	f.Sent = float64(sent.Bytes) / 1024
	for figure, values := range map[string][2]float64{
		"seconds": {f.Seconds, d.Seconds}, "megabytes": {f.Megabytes, d.Megabytes},
		"read units": {f.Read, d.Read}, "write units": {f.Write, d.Write}, "kilobytes sent": {f.Sent, d.Sent},
	} {
		if values[0] > values[1] {
			t.Errorf("%s: %.2f %s, at most %.2f", name, values[0], figure, values[1])
		}
	}
	t.Logf("%s: %+v", name, f)
	if os.Getenv("TIDEMARK_DOORS") != "" {
		write(t, d, f)
	}
}

// cpu returns the CPU time of this process so far. Unlike the time on the clock, it does not depend on what
// else the machine does.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Row is the row of a door on the page, without figures if f is nil.
func Row(d *limits.Door, f *Figures) string {
	row := fmt.Sprintf("| %s | %s | %s |", d.Name, d.Caller, d.Worst)
	if f == nil {
		return row
	}
	return row + fmt.Sprintf(" %.2f | %.1f | %.0f | %.0f | %.0f |",
		f.Seconds, f.Megabytes, f.Read, f.Write, f.Sent)
}

// write replaces the row of a door on the page.
func write(t *testing.T, d *limits.Door, f Figures) {
	t.Helper()
	page := "docs/run/LIMITS.md"
	for _, err := os.Stat(page); err != nil; _, err = os.Stat(page) {
		page = filepath.Join("..", page)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	own := func(line string) bool { return strings.HasPrefix(line, "| "+d.Name+" |") }
	row := slices.IndexFunc(lines, own)
	if row < 0 {
		t.Fatalf("%s has no row of %s", page, d.Name)
	}
	lines[row] = Row(d, &f)
	if err := os.WriteFile(page, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}
