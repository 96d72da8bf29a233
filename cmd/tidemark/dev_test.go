package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
)

func TestDev_RefusesADirectoryInWhichAnotherRuns(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(devfile.IDHeader, "other")
	}))
	defer server.Close()
	dir := t.TempDir()
	remove, err := devfile.Dev{URL: server.URL, ID: "other"}.Write(filepath.Join(dir, "dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ownDir(dir, false); !usererr.Is(err) || !strings.Contains(err.Error(), server.URL) {
		t.Errorf("a second dev: %v, want a usage error with the address of the first", err)
	}
	if own, _, err := ownDir(dir, true); err != nil || filepath.Dir(own) != dir {
		t.Errorf("a dev for a command: %s, %v; want a directory below %s", own, err, dir)
	}
	remove()
	if own, _, err := ownDir(dir, false); err != nil || own != dir {
		t.Errorf("no other dev: %s, %v; want %s", own, err, dir)
	}
}

// Devs that share the file of the clock would move the clock of one another.
func TestDev_TwoForCommandsHaveADirectoryEach(t *testing.T) {
	dir := t.TempDir()
	first, unlock, err := ownDir(dir, true)
	if err != nil || first != dir {
		t.Fatalf("the first: %s, %v; want %s", first, err, dir)
	}
	for _, forCommand := range []bool{true, false} {
		if own, _, err := ownDir(dir, forCommand); err != nil || filepath.Dir(own) != dir {
			t.Errorf("beside the first: %s, %v; want a directory below %s", own, err, dir)
		}
	}
	unlock()
	if own, _, err := ownDir(dir, true); err != nil || own != dir {
		t.Errorf("after the first: %s, %v; want %s", own, err, dir)
	}
}

func TestDev_ChecksThePortFirst(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, used, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, port := range []string{"80800", "http", "-1", used} {
		if err := checkPort(port); !usererr.Is(err) || !strings.Contains(err.Error(), "--port "+port) {
			t.Errorf("%s: %v, want a usage error that names it", port, err)
		}
	}
	if err := checkPort("0"); err != nil {
		t.Error(err)
	}
}

func TestCheckSite_RefusesWhatIsNotAnID(t *testing.T) {
	for _, wrong := range []string{"", "https://example.com/", "my shop", "Example.com"} {
		if err := checkSite(wrong); !usererr.Is(err) {
			t.Errorf("%q: %v, want a usage error", wrong, err)
		}
	}
	for _, id := range []string{"example.com", "my-shop", "Shop", "a/b"} {
		if err := checkSite(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}
