package patterns

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

//go:embed patterns.go
var source []byte

// calls are the Go calls of all patterns, in their order, as they stand in patterns.go.
func calls() ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "patterns.go", source, 0)
	if err != nil {
		return nil, fmt.Errorf("read the patterns: %w", err)
	}
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		name, named := pair.Key.(*ast.Ident)
		if body, ok := pair.Value.(*ast.FuncLit); ok && named && name.Name == "call" {
			var text bytes.Buffer
			for _, statement := range body.Body.List {
				if err = format.Node(&text, files, statement); err != nil {
					return false
				}
				text.WriteByte('\n')
			}
			all = append(all, readable(text.String()))
			return false
		}
		return true
	})
	return all, err
}

var (
	result  = regexp.MustCompile(`(?m)^return (page|shares), err\n`)
	spelled = strings.NewReplacer("return ", "", "w.", "")
)

// readable leaves out what only the table of patterns needs.
func readable(call string) string {
	return strings.TrimSpace(spelled.Replace(result.ReplaceAllString(call, "")))
}
