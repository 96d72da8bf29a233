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

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/local"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

func TestMain(m *testing.M) { ddblocal.Main(m) }

// service is a stack that runs, as a caller sees it.
type service struct {
	url   string
	table *dynamo.Table
}

func start(t *testing.T) service {
	t.Helper()
	database := ddblocal.ForTest(t)
	settings := settings(t)
	settings.Mapping.Window = 0
	s, err := local.Start(t.Context(), local.Options{
		Config: settings, ConfigPath: absolute(t, settingsPath), Table: fmt.Sprintf("api-%d", time.Now().UnixNano()),
		DynamoDB: ddblocal.Options{Endpoint: database.Endpoint}, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	client, err := dynamo.NewClient(t.Context(), local.Region, s.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return service{s.URL, dynamo.New(client, s.Table)}
}

// settingsPath is what the functions run with: the shipped kinds, every subject type
// with versions, so that every example has something to show.
const settingsPath = "testdata/tidemark.yaml"

func settings(t *testing.T) *config.Config {
	t.Helper()
	read, err := config.Load(settingsPath, domains.Kinds()...)
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

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// kind is the answer's media type.
func (a answer) kind() string {
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	return kind
}

// problem is the type of the problem that the answer is.
func (a answer) problem() string {
	var p struct{ Type string }
	_ = json.Unmarshal(a.body, &p) // what is none has no type
	return p.Type
}

// dated moves the day of the examples to yesterday: rollups of long ago are forgotten,
// and an event of the future is refused.
func dated(text string) string {
	today := time.Now().UTC()
	return strings.NewReplacer(
		"2026-04-20", today.AddDate(0, 0, -1).Format(time.DateOnly), "2026-04-21", today.Format(time.DateOnly),
	).Replace(text)
}

// ask sends a request, and again where the service asks for that (503). Headers are
// names and values in turn.
func (s service) ask(t *testing.T, method, target string, body []byte, headers ...string) (a answer) {
	t.Helper()
	for range 5 {
		if a = s.askOnce(t, method, target, body, headers...); a.status != http.StatusServiceUnavailable {
			return a
		}
		time.Sleep(time.Second) // Retry-After
	}
	return a
}

func (s service) askOnce(t *testing.T, method, target string, body []byte, headers ...string) answer {
	t.Helper()
	target, body = dated(target), []byte(dated(string(body)))
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
	return answer{response.StatusCode, response.Header, read}
}

// settle waits until everything that was taken in is folded.
func (s service) settle(t *testing.T) {
	t.Helper()
	var a answer
	for range 30 { // each is held some seconds: a busy machine needs more than a few
		if a = s.askOnce(t, "GET", "/local/idle", nil); strings.Contains(string(a.body), `"idle":true`) {
			return
		}
	}
	t.Fatalf("the stack did not come to rest: %d %s", a.status, a.body)
}
