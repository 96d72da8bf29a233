package style

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A place is one occurrence of a form that has a plainer or a safer replacement. key names it without its
// file and line, so that code may move: two words on each side of a phrase, a function's name, the names
// that are assigned, or a type's name.
type place struct{ rule, key, at string }

// The rules, and what to write.
const (
	ruleThatOf    = "that-of"     // name the noun again: "the hour's times", not "the times are those of the hour"
	ruleWord      = "word"        // in texts other than Go comments: a plainer word
	ruleFunction  = "function-of" // kind(x), newKind, x.Kind() or parseKind, not kindOf(x)
	ruleParallel  = "parallel"    // two assignments, not a, b, c = x, y, z
	ruleUnkeyed   = "unkeyed"     // field names in literals of structs with three fields or more
	ruleGoLine    = "go-line"     // at most 110 columns
	ruleUILine    = "ui-line"     // at most 120 columns
	maxGoColumns  = 110
	maxUIColumns  = 120
	maxUnkeyed    = 2 // fields that a literal may set by their order
	maxAssigned   = 2 // variables that one assignment of several values sets
	wordsEachSide = 2
)

var thatOf = regexp.MustCompile(`(?i)\b(that|those) of\b`)

// find returns the places of all rules.
func find(files []file, texts []text) (found []place) {
	structs := structFields(files)
	for _, f := range files {
		if strings.HasPrefix(f.path, self) {
			continue
		}
		found = append(found, phrases(f)...)
		found = append(found, functions(f)...)
		found = append(found, parallel(f)...)
		found = append(found, unkeyed(f, structs)...)
		found = append(found, longLines(ruleGoLine, f.path, f.text, maxGoColumns)...)
	}
	for _, t := range texts {
		if strings.HasPrefix(t.path, "ui/src/") {
			found = append(found, longLines(ruleUILine, t.path, t.all, maxUIColumns)...)
		}
		found = append(found, inText(ruleThatOf, thatOf, token.Position{Filename: t.path, Line: 1}, t.prose)...)
		found = append(found, inText(ruleWord, words, token.Position{Filename: t.path, Line: 1}, t.prose)...)
	}
	return found
}

// phrases searches the comments and the string constants of a Go file.
func phrases(f file) (found []place) {
	for _, group := range f.ast.Comments {
		found = append(found, inText(ruleThatOf, thatOf, f.fset.Position(group.Pos()), group.Text())...)
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			return true
		}
		at := f.fset.Position(literal.Pos())
		found = append(found, inText(ruleThatOf, thatOf, at, value)...)
		if !f.test {
			found = append(found, inText(ruleWord, words, at, value)...)
		}
		return true
	})
	return found
}

// inText returns the matches of a pattern in a text that begins at a position, each with the words
// around it.
func inText(rule string, pattern *regexp.Regexp, start token.Position, text string) (found []place) {
	for _, m := range pattern.FindAllStringIndex(text, -1) {
		before, after := strings.Fields(text[:m[0]]), strings.Fields(text[m[1]:])
		parts := append(before[max(0, len(before)-wordsEachSide):], text[m[0]:m[1]])
		parts = append(parts, after[:min(wordsEachSide, len(after))]...)
		key := strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
		line := start.Line + strings.Count(text[:m[0]], "\n")
		found = append(found,
			place{rule: rule, key: strings.ToLower(key), at: fmt.Sprintf("%s:%d", start.Filename, line)})
	}
	return found
}

func functions(f file) (found []place) {
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(fn.Name.Name, "Of") {
			found = append(found, place{rule: ruleFunction, key: fn.Name.Name, at: f.fset.Position(fn.Pos()).String()})
		}
	}
	return found
}

func parallel(f file) (found []place) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if ok && len(a.Rhs) > maxAssigned && len(a.Lhs) == len(a.Rhs) {
			found = append(found,
				place{rule: ruleParallel, key: lastNames(a.Lhs), at: f.fset.Position(a.Pos()).String()})
		}
		return true
	})
	return found
}

// lastNames returns the last name of each expression.
func lastNames(list []ast.Expr) string {
	var all []string
	for _, e := range list {
		switch e := e.(type) {
		case *ast.Ident:
			all = append(all, e.Name)
		case *ast.SelectorExpr:
			all = append(all, e.Sel.Name)
		default:
			all = append(all, fmt.Sprintf("%T", e)[len("*ast."):])
		}
	}
	return strings.Join(all, ",")
}

// structFields counts the fields of each struct type, by folder and name.
func structFields(files []file) map[string]int {
	found := map[string]int{}
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					found[filepath.Dir(f.path)+"."+spec.Name.Name] = s.Fields.NumFields()
				}
			}
			return true
		})
	}
	return found
}

// unkeyed searches literals of named structs of the same package, also as elements of lists and maps.
// go vet finds literals of other packages.
func unkeyed(f file, structs map[string]int) (found []place) {
	count := func(literal *ast.CompositeLit, typ ast.Expr) {
		name, ok := typ.(*ast.Ident)
		if !ok || structs[filepath.Dir(f.path)+"."+name.Name] <= maxUnkeyed || len(literal.Elts) == 0 {
			return
		}
		if _, keyed := literal.Elts[0].(*ast.KeyValueExpr); !keyed {
			found = append(found,
				place{rule: ruleUnkeyed, key: name.Name, at: f.fset.Position(literal.Pos()).String()})
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		count(literal, literal.Type)
		for _, element := range literal.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			if inner, ok := element.(*ast.CompositeLit); ok && inner.Type == nil {
				count(inner, elementType(literal.Type))
			}
		}
		return true
	})
	return found
}

// elementType returns the type of the elements of a list or map, or nil.
func elementType(t ast.Expr) ast.Expr {
	switch t := t.(type) {
	case *ast.ArrayType:
		return t.Elt
	case *ast.MapType:
		return t.Value
	}
	return nil
}

// longLines counts a tab as one column. A line has no name: all of a rule have the same key.
func longLines(rule, path, text string, most int) (found []place) {
	for i, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > most {
			found = append(found, place{rule: rule, key: "lines", at: fmt.Sprintf("%s:%d: %d columns", path, i+1, n)})
		}
	}
	return found
}
