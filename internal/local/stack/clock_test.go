package stack

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
)

// The hour before summer time begins, played at any time of the machine: an hour closes when the clock has
// passed it.
func TestStack_FollowsAClockThatIsSetAndMoved(t *testing.T) {
	if ddblocal.FromEnv().Endpoint != "" {
		t.Skip("skipped: TIDEMARK_ENDPOINT names a table with a clock of its own")
	}
	moved := clock.At(filepath.Join(t.TempDir(), "clock"))
	if err := moved.Set(time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	s := startStack(t, func(o *Options) { o.DynamoDB, o.Clock = ddblocal.Options{}, moved })
	const series = "/v1/devices/sensor_01/readings"
	post := func(path, body string) {
		t.Helper()
		resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || strings.Contains(string(text), "rejected") {
			t.Fatalf("%s: %s %s", path, resp.Status, text)
		}
	}
	post("/v1/readings", `{"deviceId":"sensor_01","timestamp":"2026-03-29T00:10:00Z","temperature":21}`)
	open := func() bool {
		t.Helper()
		var got struct{ Rollups []struct{ Open bool } }
		get(t, s.URL+series+"/rollups/hour?from=2026-03-29T00:00:00Z&to=2026-03-29T01:00:00Z", &got)
		if len(got.Rollups) != 1 {
			t.Fatalf("%d hours, want 1", len(got.Rollups))
		}
		return got.Rollups[0].Open
	}
	if !open() {
		t.Error("the hour is not open at half past")
	}
	post(PathClock, `{"by":"48h"}`)
	if at := s.now().String(); !strings.HasPrefix(at, "2026-03-31T00:3") {
		t.Errorf("the clock is at %s after 48 hours", at)
	}
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if open() {
		t.Error("the hour is still open two days later")
	}
	var read struct {
		Rollups     []struct{ Exact bool }
		Unprocessed []any
	}
	get(t, s.URL+series+"/rollups/hour?from=2026-03-29T00:00:00Z&to=2026-03-29T01:00:00Z", &read)
	if len(read.Rollups) != 1 || !read.Rollups[0].Exact || len(read.Unprocessed) > 0 {
		t.Errorf("two days later: %+v, want an exact hour and nothing that may be missing", read)
	}
	page, err := http.Get(s.URL + "/ui/")
	if err != nil {
		t.Fatal(err)
	}
	page.Body.Close()
	if date, err := http.ParseTime(page.Header.Get("Date")); err != nil || moved.Now().Sub(date) > time.Minute {
		t.Errorf("the pages get the date %s, %v; the time of the stack is %s", date, err, moved.Now())
	}
	resp, err := http.Post(s.URL+PathClock, "application/json", strings.NewReader(`{"by":"-1h"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusConflict {
		t.Errorf("a move backwards: %s, want 409", resp.Status)
	}
}
