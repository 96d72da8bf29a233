package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidemark-db/tidemark/lab/overlay"
)

// mutant is a fault to plant.
type mutant struct {
	Name  string
	Says  string // the behaviour of the faulty code
	Edits []edit
	// Tests are packages, from the module's root, in the order in which they run. A pattern may follow:
	// "pkg/rollup ^TestTop".
	Tests []string
	// Harmless is why no test finds the fault; "" where one must.
	Harmless string
}

// edit replaces a text that occurs exactly once in a file.
type edit struct{ File, Old, New string }

// replace returns the edit of a file that replaces old, which occurs once, by new.
func replace(file, old, new string) edit { return edit{File: file, Old: old, New: new} }

// mutated returns the text of each file that m changes, by its path from the root.
func (m *mutant) mutated(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range m.Edits {
		text, begun := files[e.File]
		if !begun {
			source, err := os.ReadFile(filepath.Join(root, e.File))
			if err != nil {
				return nil, err
			}
			text = string(source)
		}
		if n := strings.Count(text, e.Old); n != 1 {
			return nil, fmt.Errorf("%s: the text to replace occurs %d times, want once: %q", e.File, n, e.Old)
		}
		files[e.File] = strings.Replace(text, e.Old, e.New, 1)
	}
	return files, nil
}

// overlay writes the mutated files to dir, with the file for go build -overlay that
// replaces their originals, and returns the path of that file.
func (m *mutant) overlay(root, dir string) (string, error) {
	files, err := m.mutated(root)
	if err != nil {
		return "", err
	}
	return overlay.Write(root, dir, files)
}
