package limits_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/limits"
)

// The page has the row of each door, with figures within the bounds, and each door has a test that measures
// it.
func TestDoors_AreOnThePageAndMeasured(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/run/LIMITS.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range limits.Doors {
		d := &limits.Doors[i]
		_, rest, found := strings.Cut(string(page), "\n| "+d.Name+" | "+string(d.Caller)+" | "+d.Worst+" | ")
		row, _, _ := strings.Cut(rest, " |\n")
		figures := strings.Split(row, " | ")
		if !found || len(figures) != 5 {
			t.Errorf("the page has no row of %s with its caller and request", d.Name)
			continue
		}
		for f, bound := range []float64{d.Seconds, d.Megabytes, d.Read, d.Write, d.Sent} {
			if got, err := strconv.ParseFloat(figures[f], 64); err != nil || got > bound {
				t.Errorf("%s: figure %d on the page is %s, at most %v", d.Name, f+1, figures[f], bound)
			}
		}
		folder, test, _ := strings.Cut(d.Test, ".")
		source, err := os.ReadFile(filepath.Join("../../..", folder, "doors_unix_test.go"))
		measured := strings.Contains(string(source), strconv.Quote(d.Name))
		if err != nil || !measured || !strings.Contains(string(source), "func "+test+"(") {
			t.Errorf("%s measures no %s: %v", d.Test, d.Name, err)
		}
	}
}

// The figures are computed by hand from prices and settings.
func TestFlood_IsBoundByThrottleAndConcurrency(t *testing.T) {
	t.Parallel()
	c := config.Default()
	s := &config.Stage{Throttle: config.Throttle{Rate: 500}, PublicThrottle: config.Throttle{Rate: 100}}
	door := func(name string) *limits.Door {
		for i := range limits.Doors {
			if strings.HasPrefix(limits.Doors[i].Name, name) {
				return &limits.Doors[i]
			}
		}
		t.Fatalf("no door %s", name)
		return nil
	}
	for _, step := range []struct {
		door    string
		reserve int
		rate    float64
	}{
		{"GET /ui/", 0, 100},    // a public route
		{"/prometheus", 0, 40},  // 1,000 invocations of 25 seconds
		{"/prometheus", 20, .8}, // 20 of them
		{"GET /v1/{read+}, rollups", 0, 1_000. / 15},
	} {
		s.Reserved.Prometheus = step.reserve
		got, ok := door(step.door).Flood(c, s)
		if !ok || got.Rate < step.rate*.999 || got.Rate > step.rate*1.001 {
			t.Errorf("%s with %d reserved: %.2f, want %.2f", step.door, step.reserve, got.Rate, step.rate)
		}
	}
	if _, ok := door("import").Flood(c, s); ok {
		t.Error("an import floods a stage")
	}
	pages, _ := door("GET /ui/").Flood(c, s)
	duration := .01 / (256. / 1769)
	each := 1e-6 + duration*.25*13.3334e-6 + 80./(1<<20)*.09
	if want := 100 * 86400 * each; pages.Dollars < want*.999 || pages.Dollars > want*1.001 {
		t.Errorf("a day of pages: $%.2f, want $%.2f", pages.Dollars, want)
	}
}
