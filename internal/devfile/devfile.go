// Package devfile lets commands find a "tidemark dev" that runs on this machine.
package devfile

import (
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// Dev says where a running dev is. Dev writes it to a file in its working directory, and
// removes the file at the end.
type Dev struct {
	URL      string `json:"url"`
	Endpoint string `json:"endpoint"`
	Table    string `json:"table"`
	Config   string `json:"config"`
	PID      int    `json:"pid"`
}

// Path is where the file is, in the working directory of the dev.
const Path = ".tidemark/dev.json"

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

// Find returns the dev that runs in the working directory or the nearest directory
// above it, or the zero value. It ignores the file of a dev that was killed.
func Find() Dev {
	dir, err := os.Getwd()
	if err != nil {
		return Dev{}
	}
	for {
		var d Dev
		text, err := os.ReadFile(filepath.Join(dir, Path))
		if err == nil && json.Unmarshal(text, &d) == nil && d.reachable() {
			return d
		}
		if dir == filepath.Dir(dir) {
			return Dev{}
		}
		dir = filepath.Dir(dir)
	}
}

func (d Dev) reachable() bool {
	at, err := url.Parse(d.URL)
	if err != nil {
		return false
	}
	conn, err := net.DialTimeout("tcp", at.Host, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
