package faults

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// named are the faults that must stay in the catalogue.
var named = []string{
	"whole batch twice", "overlapping re-cuts", "partial failure at every index", "crash after commit before response",
	"timeout after commit", "replay after 10 minutes", "replay after 25 hours", "conflict on k of n",
	"throttle by key range", "throttle by account", "two invocations on one bucket", "disorder across items",
	"shard split, parent then child", "poison: unparsable", "poison: wrong type", "poison: 38-digit overflow",
	"poison: NaN", "poison: unknown event name", "bisect to one", "nil or empty identifiers",
	"expiry", "user delete", "user delete of an expired item", "replica expiry", "delete redelivered",
	"delete and re-insert", "correction that moves an event between buckets", "change on an expired rollup row",
	"skew", "1970", "9999", "late event after its hour expired", "replay of 24 h from the start",
	"stream gap over 24 h", "discarded batch redriven after later records", "gap while a mapping is made",
	"old and new code together", "month ends", "leap day", "the largest row", "more than 100 actions",
	"self-trigger loop", "deadline in mid-batch", "expired rows present in reads", "failover to a replica",
	"restore from a backup", "purge racing with append",
}

// catalogue returns the tests of each fault in docs/inside/FAULTS.md.
func catalogue(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/inside/FAULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile("`([^`]+)`")
	tests := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.Contains(line, "---") || strings.Contains(line, "| Fault |") {
			continue
		}
		fault, must := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		if _, twice := tests[fault]; twice || fault == "" || must == "" {
			t.Errorf("%q: want each fault once, with the expected result", fault)
		}
		tests[fault] = nil
		for _, m := range test.FindAllStringSubmatch(cells[3], -1) {
			tests[fault] = append(tests[fault], m[1])
		}
	}
	return tests
}

func TestCatalogue_EveryFaultHasATest(t *testing.T) {
	tests := catalogue(t)
	known := map[string]map[string]bool{}
	for fault, names := range tests {
		if len(names) == 0 {
			t.Errorf("%s: no test", fault)
		}
		for _, name := range names {
			dir, test, _ := strings.Cut(name, ".")
			if known[dir] == nil {
				known[dir] = testNames(t, dir)
			}
			if !known[dir][test] {
				t.Errorf("%s: there is no %s in %s", fault, test, dir)
			}
		}
	}
	for _, fault := range named {
		if _, there := tests[fault]; !there {
			t.Errorf("docs/inside/FAULTS.md has no row for %q", fault)
		}
	}
}

// Every test of this package must be listed.
func TestCatalogue_NamesEveryTestOfThisPackage(t *testing.T) {
	listed := map[string]bool{}
	for _, names := range catalogue(t) {
		for _, name := range names {
			listed[name] = true
		}
	}
	for test := range testNames(t, "test/faults") {
		if !listed["test/faults."+test] && !strings.HasPrefix(test, "TestCatalogue_") {
			t.Errorf("%s is in no row of docs/inside/FAULTS.md", test)
		}
	}
}

// testNames returns the names of the tests of a package, by its path from the root.
func testNames(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				tests[f.Name.Name] = true
			}
		}
	}
	return tests
}
