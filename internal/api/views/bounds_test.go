package views

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// A result with missing parts has a method Bounds of its own. The method of its Progress would leave the
// parts out of the headers of CSV and NDJSON.
func TestBounds_HaveTheMissingPartsOfEachResult(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	missing, bounded := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				name := n.Name.Name
				if of, ok := n.Type.(*ast.StructType); ok && name != "Bounds" && hasMissing(of) {
					missing[name] = true
				}
			case *ast.FuncDecl:
				if receiver, ok := receiverName(n); ok && n.Name.Name == "Bounds" {
					bounded[receiver] = true
				}
			}
			return true
		})
	}
	if len(missing) == 0 {
		t.Error("no result has missing parts, want at least Rollups")
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if !bounded[name] {
			t.Errorf("%s has Missing and no method Bounds of its own", name)
		}
	}
}

func hasMissing(fields *ast.StructType) bool {
	return slices.ContainsFunc(fields.Fields.List, func(f *ast.Field) bool {
		return len(f.Names) == 1 && f.Names[0].Name == "Missing"
	})
}

func receiverName(f *ast.FuncDecl) (name string, ok bool) {
	if f.Recv == nil {
		return "", false
	}
	of, ok := f.Recv.List[0].Type.(*ast.Ident)
	if !ok {
		return "", false
	}
	return of.Name, true
}
