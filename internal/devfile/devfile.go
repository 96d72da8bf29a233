// Package devfile lets commands find a "tidemark dev" that runs on this machine.
package devfile

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
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
	ID       string    `json:"id"` // random, and in every response of the dev
}

// Path is where the file is, in the working directory of the dev.
const Path = ".tidemark/dev.json"

// IDHeader is the header of every response of a dev that has its id.
const IDHeader = "Tidemark-Dev"

// Write writes the file and returns a function that removes it.
func (d Dev) Write(path string) (remove func(), err error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return func() { os.Remove(path) }, os.WriteFile(path, append(text, '\n'), 0o644)
}

// Find returns the dev that runs in the working directory or the nearest directory above it, or the zero
// value. It ignores the file of a dev that was killed, even if the dev of another project has its port now.
func Find() Dev {
	dir, err := os.Getwd()
	if err != nil {
		return Dev{}
	}
	for {
		var d Dev
		text, err := os.ReadFile(filepath.Join(dir, Path))
		if err == nil && json.Unmarshal(text, &d) == nil && d.responds() {
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
