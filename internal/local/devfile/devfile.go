// Package devfile lets commands find a "tidemark dev" that runs on this machine.
package devfile

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Dev says where a running dev is. Dev writes it to a file in its working directory, and
// removes the file at the end.
type Dev struct {
	URL      string    `json:"url"`
	Endpoint string    `json:"endpoint"`
	Table    string    `json:"table"`
	Config   string    `json:"config"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Clock    string    `json:"clock"` // file of its clock
	ID       string    `json:"id"`    // random, and in every response of the dev
}

// Path is where the file is, in the working directory of the dev.
const Path = ".tidemark/dev.json"

// IDHeader is the header of every response of a dev that has its id.
const IDHeader = "Tidemark-Dev"

// Write writes the file and returns a function that removes it, unless another dev has replaced it since.
func (d Dev) Write(path string) (remove func(), err error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	remove = func() {
		if found, ok := read(path); ok && found.ID == d.ID {
			os.Remove(path)
		}
	}
	return remove, os.WriteFile(path, append(text, '\n'), 0o644)
}

// read returns the dev of a file; ok is false if there is none.
func read(path string) (d Dev, ok bool) {
	text, err := os.ReadFile(path)
	return d, err == nil && json.Unmarshal(text, &d) == nil
}

// Running returns the dev of a file if it runs.
func Running(path string) (d Dev, ok bool) {
	d, ok = read(path)
	return d, ok && d.responds()
}

// At returns the dev that serves url, which tells about itself at PathSelf. ok is false if no dev of this
// machine serves it.
func At(url string) (d Dev, ok bool) {
	if host, err := neturl.Parse(url); err != nil || !loopback(host.Hostname()) {
		return Dev{}, false
	}
	client := http.Client{Timeout: patience}
	resp, err := client.Get(strings.TrimSuffix(url, "/") + PathSelf)
	if err != nil {
		return Dev{}, false
	}
	defer resp.Body.Close()
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&d)
	return d, err == nil && d.ID != "" && resp.Header.Get(IDHeader) == d.ID
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// PathSelf is where a dev says what it is, as a Dev in JSON.
const PathSelf = "/local/dev"

// Find returns the dev that runs in the working directory or the nearest directory above it, or the zero
// value. It ignores the file of a dev that was killed, even if the dev of another project has its port now.
func Find() Dev {
	dir, err := os.Getwd()
	if err != nil {
		return Dev{}
	}
	for {
		if d, ok := Running(filepath.Join(dir, Path)); ok {
			return d
		}
		if dir == filepath.Dir(dir) {
			return Dev{}
		}
		dir = filepath.Dir(dir)
	}
}

// patience bounds the wait for the response of a dev.
const patience = 2 * time.Second

// responds reports whether the server at the URL is this dev.
func (d Dev) responds() bool {
	client := http.Client{Timeout: patience}
	resp, err := client.Get(d.URL + "/healthz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return d.ID != "" && resp.Header.Get(IDHeader) == d.ID
}
