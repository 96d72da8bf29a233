package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeParts = regexp.MustCompile("(?s)```.*?```|`[^`]+`")
	remark    = regexp.MustCompile(` {2,}.*`)
)

// What the pages tell people to type is there to be typed: the command, its flags, and
// as many arguments as it takes. FILE and SUBJECT stand for an argument; what is left
// out (…, [SUBJECT]) cannot be held.
func TestPages_NameCommandsAsTheyAreTyped(t *testing.T) {
	held := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/decisions/*.md", "events/README.md"} {
		pages, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(pages), err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range typed(string(text)) {
				if strings.ContainsAny(line, "…[") {
					continue
				}
				held++
				if err := accepted(shellWords(line)); err != nil {
					t.Errorf("%s: tidemark %s: %v", filepath.Base(page), line, err)
				}
			}
		}
	}
	if held < 60 {
		t.Errorf("%d commands were found: the pages have more", held)
	}
}

func TestAccepted_FindsWhatCannotBeTyped(t *testing.T) {
	for line, fine := range map[string]bool{
		"dump devices/a": true, "dump": true, "purge": true, "dev --port 8080 -- make smoke": true, "quarantine list --table T": true,
		"dump devices/a devices/b": false, "dupm": false, "quarantine lost": false, "verify --fast": false, "dev make smoke": false, "gap devices/a": false,
	} {
		if err := accepted(shellWords(line)); (err == nil) != fine {
			t.Errorf("tidemark %s: %v, want accepted %v", line, err, fine)
		}
	}
}

// typed are the command lines of a page, behind the word tidemark: code of its own line
// or within a sentence.
func typed(page string) (all []string) {
	for _, part := range codeParts.FindAllString(page, -1) {
		part, block := strings.CutPrefix(part, "```")
		part = strings.ReplaceAll(strings.Trim(part, "`"), "\\\n", " ")
		if !block {
			part = strings.Join(strings.Fields(part), " ")
		}
		for line := range strings.Lines(part) {
			line, found := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(line), "$ "), "tidemark ")
			if found {
				all = append(all, remark.ReplaceAllString(line, ""))
			}
		}
	}
	return all
}

// accepted is nil where the command line is one, without carrying it out. A command
// without arguments may be just named.
func accepted(args []string) error {
	root := rootCommand()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if given := cmd.Flags().Args(); len(given) > 0 {
		return cmd.ValidateArgs(given)
	}
	return nil
}
