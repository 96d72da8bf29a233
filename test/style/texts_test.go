package style

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// text is a file other than Go that people read. prose is the part in English, on its lines.
type text struct{ path, all, prose string }

// unread are folders that have no text of the project: packages, what was built, and recorded input.
var unread = []string{"node_modules", "build", "bin", "cdk.out", ".git", ".venv", ".tidemark", "dist",
	"testdata", "data", "electro"}

// codeBlock matches a block of code in Markdown.
var codeBlock = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// readTexts reads Markdown, help texts, YAML and the sources of the pages.
func readTexts(root string) (found []text, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(unread, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		short, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		short = filepath.ToSlash(short)
		read := prose(short)
		if read == nil {
			return nil
		}
		content, err := os.ReadFile(path)
		found = append(found, text{path: short, all: string(content), prose: read(string(content))})
		return err
	})
	return found, err
}

// prose returns the function that returns the English of a file, or nil if the file has none.
func prose(path string) func(string) string {
	switch ext := filepath.Ext(path); {
	case ext == ".md":
		return withoutCode
	case ext == ".yaml", ext == ".yml":
		return yamlComments
	case ext == ".txt" && strings.HasPrefix(path, "cmd/"), strings.HasPrefix(path, "ui/src/"):
		return func(s string) string { return s }
	}
	return nil
}

// withoutCode returns Markdown without its code. Each line keeps its number.
func withoutCode(s string) string {
	return codeBlock.ReplaceAllStringFunc(s, func(code string) string {
		return "`code`" + strings.Repeat("\n", strings.Count(code, "\n"))
	})
}

// yamlComments returns the comments of a YAML file. Each line keeps its number.
func yamlComments(s string) string {
	var comments []string
	for line := range strings.Lines(s) {
		before, comment, found := strings.Cut(line, "#")
		if !found || strings.ContainsAny(before, `"'`) {
			comment = ""
		}
		comments = append(comments, strings.TrimSpace(comment))
	}
	return strings.Join(comments, "\n")
}
