package stack

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// A group's row of a closed hour is there after one move, and follows a deletion after the next: the rows of
// members are folded first, and the rows of groups after them.
func TestStack_GroupsFollowAMovedClock(t *testing.T) {
	if ddblocal.FromEnv().Endpoint != "" {
		t.Skip("skipped: TIDEMARK_ENDPOINT names a table with a clock of its own")
	}
	moved := clock.At(filepath.Join(t.TempDir(), "clock"))
	if err := moved.Set(time.Date(2026, 6, 1, 3, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tidemark.yaml")
	err := os.WriteFile(path, []byte("kinds: {READING: {groups: [site]}}"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	grouped, err := configfile.Load(path, domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	s := startStack(t, func(o *Options) {
		o.Clock = moved
		o.Config, o.ConfigPath = grouped, path
	})
	send := func(method, path, body string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s", method, path, resp.Status)
		}
	}
	events := func() int {
		t.Helper()
		var got struct {
			Rollups []struct {
				Events int
				Exact  bool
			}
			Unprocessed []any
		}
		get(t, s.URL+"/v1/by-site/north/readings-by-site/rollups/hour"+
			"?from=2026-06-01T02:00:00Z&to=2026-06-01T03:00:00Z", &got)
		if len(got.Rollups) != 1 || !got.Rollups[0].Exact || len(got.Unprocessed) > 0 {
			t.Fatalf("%+v, want one exact row and nothing that may be missing", got)
		}
		return got.Rollups[0].Events
	}
	send(http.MethodPost, "/v1/readings",
		`[{"deviceId":"a","timestamp":"2026-06-01T02:10:00Z","site":"north","temperature":21},
		{"deviceId":"b","timestamp":"2026-06-01T02:20:00Z","site":"north","temperature":22}]`)
	send(http.MethodPost, PathClock, `{"by":"4h"}`)
	if got := events(); got != 2 {
		t.Errorf("after four hours the group has %d events, want 2", got)
	}
	send(http.MethodDelete, "/v1/devices/a/readings/2026-06-01T02:10:00Z", "")
	send(http.MethodPost, PathClock, `{"by":"1h"}`)
	if got := events(); got != 1 {
		t.Errorf("an hour after a deletion the group has %d events, want 1", got)
	}
}

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
	s := startStack(t, func(o *Options) { o.Clock = moved })
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
