package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// machine is the clock of the stack and the tests, which the suites of test/midnight move.
var machine = clock.FromEnv()

// today is the same for all requests of a run, also for one that ends on the next day.
var today = machine.Now().UTC()

// service is a running local stack.
type service struct {
	url   string
	table *dynamo.Table
}

func start(t *testing.T) service {
	t.Helper()
	settings := settings(t)
	settings.Mapping.Window = 0
	s, err := stack.Start(t.Context(), stack.Options{
		Config: settings, ConfigPath: absolute(t, settingsPath), Table: fmt.Sprintf("api-%d", time.Now().UnixNano()),
		DynamoDB: ddblocal.FromEnv(), Dir: t.TempDir(), Clock: machine,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	client, err := dynamo.NewClient(t.Context(), stack.Region, s.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return service{s.URL, dynamo.New(client, s.Table)}
}

// settingsPath is the configuration of the functions: the shipped kinds, with profile
// versions for every subject type, so that every example has a result.
const settingsPath = "testdata/tidemark.yaml"

func settings(t *testing.T) *config.Config {
	t.Helper()
	read, err := configfile.Load(settingsPath, domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// apiResponse is a response of the service.
type apiResponse struct {
	status int
	header http.Header
	body   []byte
}

// contentType returns the media type.
func (a apiResponse) contentType() string {
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	return kind
}

// problemType returns the type of a problem response, "" for any other.
func (a apiResponse) problemType() string {
	var p struct{ Type string }
	_ = json.Unmarshal(a.body, &p) // any other response has no type
	return p.Type
}

// shiftDates moves the day of the examples to yesterday, since old rollups have expired and
// future events are rejected.
func shiftDates(text string) string {
	return strings.NewReplacer(
		"2026-04-20", today.AddDate(0, 0, -1).Format(time.DateOnly), "2026-04-21", today.Format(time.DateOnly),
	).Replace(text)
}

// send sends a request, and repeats it after 503. headers alternates names and values.
func (s service) send(t *testing.T, method, target string, body []byte, headers ...string) (a apiResponse) {
	t.Helper()
	for range 5 {
		if a = s.sendOnce(t, method, target, body, headers...); a.status != http.StatusServiceUnavailable {
			return a
		}
		time.Sleep(time.Second) // Retry-After
	}
	return a
}

func (s service) sendOnce(t *testing.T, method, target string, body []byte, headers ...string) apiResponse {
	t.Helper()
	target, body = shiftDates(target), []byte(shiftDates(string(body)))
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return apiResponse{status: response.StatusCode, header: response.Header, body: read}
}

// waitUntilIdle waits until all appended events are in the rollups.
func (s service) waitUntilIdle(t *testing.T) {
	t.Helper()
	var a apiResponse
	for range 30 { // each request waits for some seconds
		if a = s.sendOnce(t, "GET", "/local/idle", nil); strings.Contains(string(a.body), `"idle":true`) {
			return
		}
	}
	t.Fatalf("the stack is not idle: %d %s", a.status, a.body)
}
