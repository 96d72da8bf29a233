// Package samples runs every sample of events/ with the deployed binaries, and compares the
// result with its row in the README there.
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

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

const (
	folder   = "../../events"
	settings = "../../tidemark.yaml"
)

// functionOf has the function of a folder whose name is not the function's.
var functionOf = map[string]string{"collect": "ingest", "senders": "ingest"}

// before has the sample that is run first on the table of each sample of a folder.
var before = map[string]string{"query": "ingest/http-batch.json", "manage": "manage/create.json",
	"purge": "manage/create.json"}

func TestReadme_HasOneRowForEachSample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, p := range expectations(string(text)) {
		listed = append(listed, p.file)
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
		if i := slices.Index(listed, name); i < 0 {
			t.Errorf("%s has no row", name)
		} else {
			listed = slices.Delete(listed, i, i+1)
		}
	}
	if len(listed) > 0 {
		t.Errorf("rows without a sample, or repeated rows: %q", listed)
	}
}

func TestSamples_TheBinariesDoWhatTheReadmeSays(t *testing.T) {
	endpoint := enginetest.Endpoint(t)
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	built, err := stack.FindBinaries(t.Context(), "",
		slices.Sorted(maps.Keys(stack.Settings(config.Default())))...)
	if errors.Is(err, stack.ErrNoBinaries) {
		testenv.Missing(t, "binaries", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	binaries := filepath.Dir(filepath.Dir(built["ingest"]))
	for i, p := range expectations(string(text)) {
		t.Run(strings.TrimSuffix(p.file, ".json"), func(t *testing.T) {
			t.Parallel()
			b := bench{
				endpoint: endpoint, table: fmt.Sprintf("samples-%d-%d", os.Getpid(), i), binaries: binaries,
			}
			if file, ok := before[filepath.Dir(p.file)]; ok {
				b.invoke(t, file)
			}
			b.check(t, p)
		})
	}
}

// bench is a table for one sample, and the directory of the functions.
type bench struct{ endpoint, table, binaries string }

// invoke sends a sample to its function.
func (b bench) invoke(t *testing.T, file string) ([]byte, error) {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	conf, err := configfile.Load(settings, domains.Kinds()...)
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
	f, err := singleFunction{name: name, config: conf, path: path, endpoint: b.endpoint, table: b.table,
		binaries: b.binaries, log: t.Output()}.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	return f.Invoke(t.Context(), payload)
}

func (b bench) check(t *testing.T, p expectation) {
	t.Helper()
	response, err := b.invoke(t, p.file)
	if (err != nil) != p.fails {
		t.Fatalf("got %s, %v; want an error: %t", response, err, p.fails)
	}
	var got struct {
		StatusCode        int
		BatchItemFailures []json.RawMessage
	}
	if err == nil && json.Unmarshal(response, &got) != nil {
		t.Fatalf("got %s, want an object", response)
	}
	if got.StatusCode != p.status || len(got.BatchItemFailures) > 0 {
		t.Errorf("got %s; want status %d and no failed records", response, p.status)
	}
	if is := b.quarantined(t); is != p.quarantined {
		t.Errorf("quarantined items: %t, want %t", is, p.quarantined)
	}
}

func (b bench) quarantined(t *testing.T) bool {
	t.Helper()
	client, err := dynamo.NewClient(t.Context(), stack.Region, b.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	items, _, err := dynamo.New(client, b.table).Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if strings.HasPrefix(it.Key().PK, tablekeys.ClassQuarantine+"#") {
			return true
		}
	}
	return false
}
