package patterns

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

//go:embed groups_test.go list_test.go readings_test.go subjects_test.go websites_test.go
var sources embed.FS

// calls returns the Go code of each pattern's call, by what the pattern is about. A pattern
// without a call has no entry.
func calls() (map[string]string, error) {
	entries, err := sources.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("read the patterns: %w", err)
	}
	all := map[string]string{}
	files := token.NewFileSet()
	for _, entry := range entries {
		source, err := sources.ReadFile(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read the patterns: %w", err)
		}
		file, err := parser.ParseFile(files, entry.Name(), source, 0)
		if err != nil {
			return nil, fmt.Errorf("read the patterns: %w", err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			row, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			about, body := fields(row)
			if about != "" && body != nil {
				all[about] = bodyCode(files, body)
			}
			return true
		})
	}
	return all, nil
}

// fields returns the field about of a pattern, and the body of its call or nil.
func fields(row *ast.CompositeLit) (about string, body *ast.BlockStmt) {
	for _, e := range row.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		name, _ := pair.Key.(*ast.Ident)
		switch v := pair.Value.(type) {
		case *ast.BasicLit:
			if name != nil && name.Name == "about" {
				about = strings.Trim(v.Value, `"`)
			}
		case *ast.FuncLit:
			if name != nil && name.Name == "call" {
				body = v.Body
			}
		}
	}
	return about, body
}

var (
	finalReturn = regexp.MustCompile(`(?m)^return (page|shares), err\n`)
	testOnly    = strings.NewReplacer("return ", "", "w.", "", "\t\t\t\t\t", "\t")
)

// bodyCode returns the statements of a call without the parts that only this package needs.
func bodyCode(files *token.FileSet, body *ast.BlockStmt) string {
	var text bytes.Buffer
	for _, statement := range body.List {
		if err := format.Node(&text, files, statement); err != nil {
			return err.Error()
		}
		text.WriteByte('\n')
	}
	return strings.TrimSpace(testOnly.Replace(finalReturn.ReplaceAllString(text.String(), "")))
}

// declaredTypes returns the declarations of the types that the calls use.
func declaredTypes() (string, error) {
	source, err := sources.ReadFile("list_test.go")
	if err != nil {
		return "", fmt.Errorf("read the types: %w", err)
	}
	found := typeDeclaration.FindAllString(string(source), -1)
	return strings.Join(found, "\n"), nil
}

var typeDeclaration = regexp.MustCompile(`(?ms)^type (?:Reading|PageView) struct \{$.*?^\}\n`)
