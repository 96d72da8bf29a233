package devfile

import (
	"encoding/json"
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(IDHeader, id)
	}))
	defer server.Close()
	want := Dev{URL: server.URL, Endpoint: "http://127.0.0.1:1", Table: "dev-1", PID: 7,
		Started: time.Unix(1, 0).UTC(), ID: id}
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

// The dev that ends first takes no command from the other.
func TestWrite_RemovesItsOwnFileOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), Path)
	removeFirst, err := Dev{ID: "first"}.Write(path)
	if err != nil {
		t.Fatal(err)
	}
	removeSecond, err := Dev{ID: "second"}.Write(path)
	if err != nil {
		t.Fatal(err)
	}
	removeFirst()
	if found, ok := read(path); !ok || found.ID != "second" {
		t.Errorf("after the end of the first: %+v, %v; want the second", found, ok)
	}
	removeSecond()
	if _, ok := read(path); ok {
		t.Error("after the end of both: there is a file")
	}
}

func TestAt_AsksTheServerOfAURL(t *testing.T) {
	id := "run-1"
	want := Dev{Endpoint: "http://127.0.0.1:1", Table: "dev-1", ID: id}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(IDHeader, id)
		json.NewEncoder(w).Encode(want)
	}))
	defer server.Close()
	if got, ok := At(server.URL); !ok || got != want {
		t.Errorf("got %+v, %v; want %+v", got, ok, want)
	}
	id = "run-2" // a server that is not what it says
	if got, ok := At(server.URL); ok {
		t.Errorf("got %+v of another server", got)
	}
	if got, ok := At("https://api.example.com"); ok {
		t.Errorf("got %+v of a host that is not this machine", got)
	}
}
