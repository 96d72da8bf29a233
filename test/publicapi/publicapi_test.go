// Package publicapi shows every change of the public API. api.txt lists it; STABILITY.md defines
// which changes are allowed.
package publicapi

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite api.txt from the code")

const golden = "api.txt"

func TestPublicAPI_IsAsListed(t *testing.T) {
	got, err := listing(filepath.Join("..", "..", "pkg"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the public API changed (- listed, + now). If that is intended, run "+
			"go test ./test/publicapi -update and name the change in CHANGELOG.md:\n%s", diff)
	}
}

// listing returns the exported declarations of every package under root, sorted.
func listing(root string) ([]byte, error) {
	var dirs []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, dir := range dirs {
		decls, err := declarations(dir)
		if err != nil {
			return nil, err
		}
		for _, d := range decls {
			fmt.Fprintf(&out, "%s: %s\n",
				filepath.ToSlash(strings.TrimPrefix(dir, filepath.Join("..", "..")+string(filepath.Separator))), d)
		}
	}
	return out.Bytes(), nil
}

// declarations returns one line for each exported constant, variable, function, method, type and
// field of a package.
func declarations(dir string) (all []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if !ast.FileExports(f) {
			continue
		}
		for _, d := range f.Decls {
			all = append(all, lines(fset, d)...)
		}
	}
	slices.Sort(all)
	return all, nil
}

func lines(fset *token.FileSet, d ast.Decl) (all []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		d.Body = nil
		all = append(all, text(fset, d))
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					all = append(all, d.Tok.String()+" "+name.Name)
				}
			case *ast.TypeSpec:
				all = append(all, typeLines(fset, s)...)
			}
		}
	}
	return all
}

// typeLines returns a line for a type, and one for each member of a struct or an interface.
func typeLines(fset *token.FileSet, s *ast.TypeSpec) (all []string) {
	var members *ast.FieldList
	head := "type " + s.Name.Name
	switch t := s.Type.(type) {
	case *ast.StructType:
		members, head = t.Fields, head+" struct"
	case *ast.InterfaceType:
		members, head = t.Methods, head+" interface"
	default:
		return []string{head + " " + text(fset, s.Type)}
	}
	all = append(all, head)
	for _, m := range members.List {
		if len(m.Names) == 0 {
			all = append(all, head+" { "+text(fset, m.Type)+" }")
		}
		for _, name := range m.Names {
			all = append(all, head+" { "+name.Name+" "+text(fset, m.Type)+" }")
		}
	}
	return all
}

// text returns a node on one line.
func text(fset *token.FileSet, node any) string {
	var out bytes.Buffer
	if err := printer.Fprint(&out, fset, node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
