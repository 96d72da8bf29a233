package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every problem type that the program names is one of the API.
func TestProblems_EachNameHasAType(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named, found := regexp.MustCompile(`problemNamed\("([a-z-]+)"\)`), 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			found++
			if p := problemNamed(string(m[1])); p.Status < 400 || p.Title == "" { // panics if there is none
				t.Errorf("%s: %s is %+v", file, m[1], p)
			}
		}
	}
	for _, e := range errorProblems {
		found++
		if p := problemNamed(e.name); p.Status < 400 || p.Title == "" {
			t.Errorf("%v: %s is %+v", e.err, e.name, p)
		}
	}
	if found < 30 {
		t.Errorf("%d names, want all of the program", found)
	}
}
