package devfile

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFind_FindsARunningDevInADirectoryAbove(t *testing.T) {
	dir := t.TempDir()
	id := "run-1"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(IDHeader, id) }))
	defer server.Close()
	want := Dev{URL: server.URL, Endpoint: "http://127.0.0.1:1", Table: "dev-1", PID: 7, Started: time.Unix(1, 0).UTC(), ID: id}
	remove, err := want.Write(filepath.Join(dir, Path))
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	if got := Find(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	id = "run-2" // the dev of another project has the port now
	if got := Find(); got != (Dev{}) {
		t.Errorf("got %+v of a dev whose port another has", got)
	}
	server.Close()
	if got := Find(); got != (Dev{}) {
		t.Errorf("got %+v of a dev that does not run", got)
	}
	remove()
	if _, err := os.Stat(filepath.Join(dir, Path)); !os.IsNotExist(err) {
		t.Errorf("the file after remove: %v, want it gone", err)
	}
}
