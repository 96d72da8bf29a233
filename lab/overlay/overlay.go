// Package overlay lets go build compile changed copies of files, so that a program can plant a fault without
// a change of the working tree.
package overlay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// Write writes texts of files, by their path from root, to dir. It returns the path of the file for
// go build -overlay that replaces the originals. A file may be new.
func Write(root, dir string, files map[string]string) (string, error) {
	replace := map[string]string{}
	for file, text := range files {
		copied := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(copied, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}
