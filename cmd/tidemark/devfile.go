package main

import (
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// devFile is how the other commands find a running "tidemark dev": it lies in the
// directory that dev was started in, for as long as dev runs.
type devFile struct {
	URL      string `json:"url"`
	Endpoint string `json:"endpoint"`
	Table    string `json:"table"`
	Config   string `json:"config"`
	PID      int    `json:"pid"`
}

const devFilePath = ".tidemark/dev.json"

// write leaves the file and answers how to remove it.
func (d devFile) write(path string) (remove func(), err error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return func() { os.Remove(path) }, os.WriteFile(path, append(text, '\n'), 0o644)
}

// readDevFile is the dev that runs in the working directory or the nearest above it;
// the zero value where none does. A file whose dev was killed is passed over.
func readDevFile() devFile {
	dir, err := os.Getwd()
	if err != nil {
		return devFile{}
	}
	for {
		var d devFile
		text, err := os.ReadFile(filepath.Join(dir, devFilePath))
		if err == nil && json.Unmarshal(text, &d) == nil && d.answers() {
			return d
		}
		if dir == filepath.Dir(dir) {
			return devFile{}
		}
		dir = filepath.Dir(dir)
	}
}

func (d devFile) answers() bool {
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
