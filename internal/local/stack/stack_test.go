package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

var tables atomic.Int64

// startStack runs the deployed functions with a new table.
func startStack(t *testing.T, change func(*Options)) *Stack {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		testenv.Missing(t, "binaries", "there is no go tool to build the functions with")
	}
	settings := config.Default(domains.Kinds()...)
	settings.Mapping.Window = 0
	opts := Options{
		Config:   settings,
		Table:    fmt.Sprintf("stack-%d-%d", time.Now().UnixNano(), tables.Add(1)),
		DynamoDB: ddblocal.FromEnv(),
		Dir:      t.TempDir(),
		reach:    roles(t),
	}
	if change != nil {
		change(&opts)
	}
	s, err := Start(t.Context(), opts)
	if errors.Is(err, ddblocal.ErrMissing) {
		testenv.Missing(t, "java", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// get sends a request to the front and decodes its JSON.
func get(t *testing.T, url string, into any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s returned %s (%v)", url, resp.Status, err)
	}
}

type hours struct {
	Rollups []struct {
		Exact    bool
		Measures map[string]struct {
			Count int
			Sum   json.Number
		}
	}
}

func TestStack_OneReadingIsInItsRollups(t *testing.T) {
	oneReading(t, startStack(t, nil))
}

// oneReading sends a reading and reads it in each tier.
func oneReading(t *testing.T, s *Stack) {
	t.Helper()
	resp, body := send(t, "POST", s.URL+"/v1/readings", "application/json",
		[]byte(`{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z","temperature":22.4}`))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the reading returned %d %s", resp.StatusCode, body)
	}
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tier := range []string{"hour", "day", "month"} {
		var got hours
		get(t, s.URL+"/v1/devices/sensor_01/readings/rollups/"+tier, &got)
		if len(got.Rollups) != 1 || !got.Rollups[0].Exact || got.Rollups[0].Measures["temperature"].Count != 1 ||
			got.Rollups[0].Measures["temperature"].Sum != "22.4" {
			t.Errorf("the %s is %+v, want one exact reading of 22.4", tier, got)
		}
	}
}

func TestStack_FaultsChangeNoNumber(t *testing.T) {
	var tapped atomic.Int64
	s := startStack(t, func(o *Options) {
		o.Config.Mapping.BatchSize = 5
		o.Faults = Faults{Seed: 1, Again: 2, Recut: 2, Kills: []Shot{{2, Responding}, {4, Running}}}
		o.Tap = func([]byte) { tapped.Add(1) }
	})
	const events = 60
	lines := ""
	for i := range events {
		lines += fmt.Sprintf(`{"deviceId":"sensor_01","timestamp":"2026-04-20T14:%02d:00Z","temperature":%d}`+"\n",
			i, i)
	}
	if resp, body := send(t, "POST", s.URL+"/v1/readings", "application/x-ndjson",
		[]byte(lines)); resp.StatusCode != http.StatusOK {
		t.Fatalf("the readings returned %d %s", resp.StatusCode, body)
	}
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got hours
	get(t, s.URL+"/v1/devices/sensor_01/readings/rollups/hour", &got)
	if len(got.Rollups) != 1 || got.Rollups[0].Measures["temperature"].Count != events ||
		got.Rollups[0].Measures["temperature"].Sum != "1770" {
		t.Errorf("the hour is %+v, want %d readings, in all 1770", got, events)
	}
	st := s.Stats()
	if st.Kills != 2 || st.KillsUnacked != 1 || st.Again == 0 || st.Recut == 0 || st.Failed < 2 ||
		st.Invocations != tapped.Load() {
		t.Errorf("the faults do not have their rate (%d payloads): %+v", tapped.Load(), st)
	}
	if st.Metrics["RowsWritten"] == 0 || st.Metrics["Recomputations"] < st.Metrics["RowsWritten"] {
		t.Errorf("the metrics are %v", st.Metrics)
	}
}

func TestStack_IdleIsAvailableOverHTTP(t *testing.T) {
	s := startStack(t, nil)
	var status Status
	for !status.Idle { // repeated until idle, as replay does
		get(t, s.URL+"/local/idle", &status)
	}
	if err := AwaitIdle(t.Context(), s.URL, func(int) {}); err != nil {
		t.Errorf("a stack without an id of its own is no dev: %v", err)
	}
	if status.Table != s.Table || status.Endpoint != s.Endpoint {
		t.Errorf("an idle stack has status %+v", status)
	}
	get(t, s.URL+"/local/status", &status)
	if status.Idle {
		t.Error("/local/status reports idle without waiting")
	}
}

func TestStack_RunsOnDynamoDBLocalAndEndsWithIt(t *testing.T) {
	if ddblocal.FromEnv().Endpoint != "" {
		t.Skip("skipped: TIDEMARK_ENDPOINT names a server that the test must not stop")
	}
	s := startStack(t, func(o *Options) { o.Engine = DynamoDBLocal })
	oneReading(t, s)
	testTableStream(t, s.Endpoint)
	s.database.Stop()
	<-s.Context().Done()
	if err := s.Err(); !errors.Is(err, ErrDatabaseEnded) {
		t.Errorf("the stack ended by %v", err)
	}
	if err := s.Idle(t.Context()); !errors.Is(err, ErrDatabaseEnded) {
		t.Errorf("Idle = %v, want the reason why the stack ended", err)
	}
}

func TestFindBinaries_ErrorNamesEachMissingFunctionAndHowToBuildIt(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "ingest"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ingest", "bootstrap"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := FindBinaries(context.Background(), dir, "ingest", "authorize", "query")
	want := "no authorize/bootstrap, query/bootstrap under " + dir + "; run \"make build\""
	if !errors.Is(err, ErrNoBinaries) || !strings.Contains(err.Error(), want) {
		t.Errorf("FindBinaries = %v, want ErrNoBinaries with %q", err, want)
	}
	if found, err := FindBinaries(context.Background(), dir, "ingest"); err != nil || found["ingest"] == "" {
		t.Errorf("FindBinaries = %v, %v, want the path of ingest", found, err)
	}
}

// A missing build tool skips tests, a failing build must not.
func TestFindBinaries_FailedBuildIsNotErrNoBinaries(t *testing.T) {
	root := t.TempDir()
	goTool := filepath.Join(root, "go")
	if err := os.WriteFile(goTool, []byte("#!/bin/sh\necho undefined: x >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.Context(), goTool, root, []string{"ingest"}); err == nil ||
		errors.Is(err, ErrNoBinaries) || !strings.Contains(err.Error(), "undefined: x") {
		t.Errorf("build = %v, want the error of the compiler", err)
	}
}
