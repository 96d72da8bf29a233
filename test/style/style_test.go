// Package style counts what is easy to miss in reviews: words that are not plain technical English,
// long files, exported names, and the size of cmd/tidemark. go test -v prints one line for each
// measure.
package style

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The limits. Give the reason in the commit message if you raise one.
const (
	maxExported  = 512 // exported top-level names in packages that programs can import
	maxFileLines = 300 // of a Go file that is not a test
)

// words have a plainer replacement: return, report, notify, user, recompute, quarantine.
var words = regexp.MustCompile(
	`(?i)\b(answer(s|ed|ing)?|told|somebody|nobody|whoever|anew|thereof|strangers?|fates?|verdicts?|ladders?|rungs?|bring(s)? on|set(s)? aside|look(s|ed)? again|be it)\b`)

// names are parts of identifiers that have a plainer replacement.
var names = regexp.MustCompile(
	`(?i)(somebody|stranger|verdict|ladder|setaside|bringon|lookagain|prey|nobody)`)

// file is one Go file of the module.
type file struct {
	path  string
	text  string
	lines int
	test  bool
	ast   *ast.File
	fset  *token.FileSet
}

func TestStyle_EachMeasureIsWithinItsLimit(t *testing.T) {
	files, err := parse("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 1000 {
		t.Errorf("%d Go files, want all of the module", len(files))
	}
	for _, m := range []measure{
		{"words with a plainer replacement", 0, comments(files)},
		{"names with a plainer replacement", 0, identifiers(files)},
		{fmt.Sprintf("files over %d lines", maxFileLines), 0, long(files)},
		{"exported names outside internal", maxExported, exported(files)},
	} {
		t.Logf("%-40s %6d of at most %d", m.name, m.n, m.limit)
		if m.n > m.limit {
			t.Errorf("%d %s, want at most %d:\n  %s", m.n, m.name, m.limit,
				strings.Join(m.places[:min(shown, len(m.places))], "\n  "))
		}
	}
}

// measure is a count with its limit. places lists what was counted.
type measure struct {
	name  string
	limit int
	count
}

type count struct {
	n      int
	places []string
}

// shown is how many places are printed if the limit is exceeded.
const shown = 20

func parse(root string) (files []file, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "build" || d.Name() == "cdk.out" ||
			d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(root, path)
		files = append(files, file{
			path: filepath.ToSlash(short), text: string(text), lines: strings.Count(string(text), "\n"),
			test: strings.HasSuffix(path, "_test.go"), ast: parsed, fset: fset,
		})
		return err
	})
	return files, err
}

// self is this test, which contains the words that it searches for.
const self = "test/style/"

func comments(files []file) (c count) {
	for _, f := range files {
		if strings.HasPrefix(f.path, self) {
			continue
		}
		for _, group := range f.ast.Comments {
			for _, comment := range group.List {
				for _, word := range words.FindAllString(comment.Text, -1) {
					c.add("%s: %s", f.fset.Position(comment.Pos()), word)
				}
			}
		}
	}
	return c
}

func identifiers(files []file) (c count) {
	for _, f := range files {
		if strings.HasPrefix(f.path, self) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && names.MatchString(id.Name) {
				c.add("%s: %s", f.fset.Position(id.Pos()), id.Name)
			}
			return true
		})
	}
	return c
}

func long(files []file) (c count) {
	for _, f := range files {
		if !f.test && f.lines > maxFileLines {
			c.add("%s: %d lines", f.path, f.lines)
		}
	}
	return c
}

// exported counts the top-level names that other programs can use: names of packages that are neither
// internal, nor commands, nor programs that check this repository.
func exported(files []file) (c count) {
	per := map[string]int{}
	for _, f := range files {
		if f.test || f.ast.Name.Name == "main" || strings.Contains("/"+f.path, "/internal/") ||
			strings.HasPrefix(f.path, "lab/") {
			continue
		}
		n := 0
		for _, d := range f.ast.Decls {
			n += exportedIn(d)
		}
		per[filepath.Dir(f.path)] += n
		c.n += n
	}
	for dir, n := range per {
		c.places = append(c.places, fmt.Sprintf("%s: %d", dir, n))
	}
	slices.Sort(c.places)
	return c
}

func exportedIn(d ast.Decl) (n int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

func (c *count) add(format string, args ...any) {
	c.n++
	c.places = append(c.places, fmt.Sprintf(format, args...))
}
