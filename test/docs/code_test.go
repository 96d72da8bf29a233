package docs

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the Go code that the pages show")

// generated are the pages that other tests write from compiled code.
var generated = map[string]string{"docs/use/ACCESS-PATTERNS.md": "test/patterns"}

// marked matches a marker and the code block after it. The marker names a Go file and
// declarations in it: <!-- code: pkg/timeseries/example_test.go Example -->
var marked = regexp.MustCompile("(?s)(<!-- code: (\\S+) ([^>]+?) -->\n\n?```go\n)(.*?)(```\n)")

// The Go code of a page is a copy of code that compiles. Write the copies with
// go test ./test/docs -update.
func TestPages_ShowCodeThatCompiles(t *testing.T) {
	for _, page := range pages(t) {
		if generated[page] != "" {
			continue
		}
		got := read(t, page)
		want := marked.ReplaceAllStringFunc(got, func(block string) string {
			m := marked.FindStringSubmatch(block)
			return m[1] + declarations(t, m[2], strings.Fields(m[3])) + m[5]
		})
		if *update && got != want {
			if err := os.WriteFile(filepath.Join(root, page), []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
			got = want
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: run go test ./test/docs -update (- code, + page):\n%s", page, diff)
		}
		if n, m := strings.Count(got, "```go"), len(marked.FindAllString(got, -1)); n != m {
			t.Errorf("%s: %d Go blocks, %d with a code marker", page, n, m)
		}
	}
}

// declarations returns the named declarations of a Go file with their comments: a type, a
// function, or the body of an Example without its output.
func declarations(t *testing.T, path string, names []string) string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	source := read(t, path)
	var parts []string
	for _, name := range names {
		part := ""
		for _, d := range file.Decls {
			if declares(d, name) {
				part = declSource(files, source, d)
			}
		}
		if part == "" {
			t.Errorf("%s does not declare %s", path, name)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n")
}

func declares(d ast.Decl, name string) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Recv == nil && d.Name.Name == name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == name {
				return true
			}
		}
	}
	return false
}

// declSource returns the source of a declaration, ending in a newline.
func declSource(files *token.FileSet, source string, d ast.Decl) string {
	from, to := d.Pos(), d.End()
	switch d := d.(type) {
	case *ast.GenDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
	case *ast.FuncDecl:
		if strings.HasPrefix(d.Name.Name, "Example") {
			return exampleBody(source[files.Position(d.Body.Lbrace).Offset+1 : files.Position(d.Body.Rbrace).Offset])
		}
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
	}
	return source[files.Position(from).Offset:files.Position(to).Offset] + "\n"
}

// exampleBody returns the statements of an Example without its expected output.
func exampleBody(body string) string {
	body, _, _ = strings.Cut(body, "// Output:")
	code, err := format.Source(bytes.TrimSpace([]byte(body)))
	if err != nil {
		return fmt.Sprintf("// %v\n", err)
	}
	return string(code) + "\n"
}
