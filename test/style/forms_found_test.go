package style

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// Each form is found where it stands, once.
func TestFind_ReportsEachForm(t *testing.T) {
	source := `package p

// The times are those of the hour.
type pace struct{ after, within int; all bool }

func rowOf() (a, b, c int) {
	a, b, c = 1, 2, 3
	_ = []pace{{1, 1, false}}
	_ = map[string]pace{"x": {after: 1}}
	_ = "the fields are that of the table"
	return a, b, c
}
` + "// " + strings.Repeat("x", maxGoColumns) + "\n"
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "p/p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []file{{path: "p/p.go", text: source, ast: parsed, fset: fset}}
	markdown := "One\n```\nthat of code\n```\nThe answer is those of two.\n"
	texts := []text{
		{path: "a.md", all: markdown, prose: prose("a.md")(markdown)},
		{path: "b.yaml", prose: prose("b.yaml")("key: 'that of a value'\nother: 1 # that of a comment\n")},
		{path: "ui/src/c.tsx", all: strings.Repeat("x", maxUIColumns+1)},
	}
	var got []string
	for _, p := range find(files, texts) {
		got = append(got, p.rule+" "+p.at)
	}
	want := []string{
		"that-of p/p.go:3", "that-of p/p.go:10", "function-of p/p.go:6:1", "parallel p/p.go:7:2", "unkeyed p/p.go:8:13",
		"go-line p/p.go:13: 113 columns", "that-of a.md:5", "word a.md:5", "that-of b.yaml:2", "ui-line ui/src/c.tsx:1: 121 columns",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}
