package samples

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/local"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestMain(m *testing.M) { ddblocal.Main(m) }

const (
	folder   = "../../events"
	settings = "../../tidemark.yaml"
)

// functionOf is the function that the samples of a folder are sent to, where it is not
// of the folder's name.
var functionOf = map[string]string{"collect": "ingest"}

// before is what a folder's table has gone through.
var before = map[string]string{"query": "ingest/http-batch.json", "purge": "purge/create.json"}

func TestReadme_HasALineForEachSampleAndNoOther(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, p := range promises(string(text)) {
		told = append(told, p.file)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%d samples, %v", len(found), err)
	}
	for _, file := range found {
		name, err := filepath.Rel(folder, file)
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.Index(told, name); i < 0 {
			t.Errorf("%s has no line", name)
		} else {
			told = slices.Delete(told, i, i+1)
		}
	}
	if len(told) > 0 {
		t.Errorf("lines of no sample, or a second one: %q", told)
	}
}

func TestSamples_ThroughTheBinaryDoWhatTheirLineSays(t *testing.T) {
	database := ddblocal.ForTest(t)
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	built, err := local.FindBinaries(t.Context(), "", slices.Sorted(maps.Keys(local.Settings(config.Default())))...)
	if errors.Is(err, local.ErrNoBinaries) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	binaries := filepath.Dir(filepath.Dir(built["ingest"]))
	for i, p := range promises(string(text)) {
		t.Run(strings.TrimSuffix(p.file, ".json"), func(t *testing.T) {
			t.Parallel()
			b := bench{database.Endpoint, fmt.Sprintf("samples-%d-%d", os.Getpid(), i), binaries}
			if file, ok := before[filepath.Dir(p.file)]; ok {
				b.invoke(t, file)
			}
			b.check(t, p)
		})
	}
}

// bench is a table of its own, and where the functions lie.
type bench struct{ endpoint, table, binaries string }

// invoke sends a sample to its function.
func (b bench) invoke(t *testing.T, file string) ([]byte, error) {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	conf, err := config.Load(settings, domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(settings)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Dir(file)
	if other, ok := functionOf[name]; ok {
		name = other
	}
	f, err := local.Alone{Name: name, Config: conf, Path: path, Endpoint: b.endpoint, Table: b.table, BinaryDir: b.binaries, Log: t.Output()}.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	return f.Invoke(t.Context(), payload)
}

func (b bench) check(t *testing.T, p promise) {
	t.Helper()
	answer, err := b.invoke(t, p.file)
	if (err != nil) != p.fails {
		t.Fatalf("answered %s, %v; its line says an error: %t", answer, err, p.fails)
	}
	var said struct {
		StatusCode        int
		BatchItemFailures []json.RawMessage
	}
	if err == nil && json.Unmarshal(answer, &said) != nil {
		t.Fatalf("answered %s: want an object", answer)
	}
	if said.StatusCode != p.status || len(said.BatchItemFailures) > 0 {
		t.Errorf("answered %s; its line says %d, and nothing of a batch comes again", answer, p.status)
	}
	if got := b.quarantined(t); got != p.setAway {
		t.Errorf("in quarantine: %t; its line says %t", got, p.setAway)
	}
}

func (b bench) quarantined(t *testing.T) bool {
	t.Helper()
	client, err := dynamo.NewClient(t.Context(), local.Region, b.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	items, _, err := dynamo.New(client, b.table).Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if strings.HasPrefix(it.Key().PK, keys.ClassQuarantine+"#") {
			return true
		}
	}
	return false
}
