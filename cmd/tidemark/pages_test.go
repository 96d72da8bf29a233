package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	codeParts = regexp.MustCompile("(?s)```.*?```|`[^`]+`")
	remark    = regexp.MustCompile(` {2,}.*`)

	fences     = regexp.MustCompile("(?s)```.*?```")
	inlineCode = regexp.MustCompile("`[^`]+`")
)

// pages returns the pages that match patterns, by their path in the repository. Each pattern has a page.
func pages(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(found), err)
		}
		for _, page := range found {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			all[strings.TrimPrefix(filepath.ToSlash(page), "../../")] = string(text)
		}
	}
	return all
}

// Every command line in the documentation must parse: command, flags and number of
// arguments. Lines with an ellipsis or an optional argument are not checked.
func TestPages_CommandLinesParse(t *testing.T) {
	checked := 0
	patterns := []string{"README.md", "docs/*/*.md", "events/README.md", "examples/README.md"}
	for where, text := range pages(t, patterns...) {
		for _, line := range commandLines(text) {
			if strings.ContainsAny(line, "…[") {
				continue
			}
			checked++
			if err := parses(shellWords(line)); err != nil {
				t.Errorf("%s: tidemark %s: %v", where, line, err)
			}
		}
	}
	if checked < 60 {
		t.Errorf("found %d commands: the pages have more", checked)
	}
}

// The examples of help texts are command lines that parse, with all their arguments.
func TestHelp_ExamplesParse(t *testing.T) {
	checked := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			line, found := strings.CutPrefix(strings.TrimSpace(line), "tidemark ")
			if !found || strings.Contains(line, " | ") {
				continue
			}
			checked++
			line, _, _ = strings.Cut(line, " > ")
			line = remark.ReplaceAllString(line, "")
			if err := parses(shellWords(line)); err != nil {
				t.Errorf("%s: tidemark %s: %v", cmd.CommandPath(), line, err)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand())
	if checked < 80 {
		t.Errorf("found %d examples: the help has more", checked)
	}
}

// Sentences name flags that exist: of the command before them, or of any. Upgrading also names old ones.
func TestPages_NameFlagsThatExist(t *testing.T) {
	known, root := map[string]bool{"--help": true}, rootCommand()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	checked := 0
	for where, text := range pages(t, "README.md", "docs/use/*.md", "docs/run/*.md", "docs/inside/*.md") {
		if where == "docs/run/UPGRADING.md" {
			continue
		}
		for _, code := range inlineCode.FindAllString(fences.ReplaceAllString(text, ""), -1) {
			words := shellWords(strings.Trim(code, "`"))
			if len(words) == 0 {
				continue
			}
			cmd, _, err := root.Find(words)
			named := err == nil && cmd != root
			for _, word := range words {
				flag, _, _ := strings.Cut(word, "=")
				if !strings.HasPrefix(flag, "--") || len(flag) < 3 || !named && word != words[0] {
					continue // of another program, or checked as a command line
				}
				checked++
				if !known[flag] || named && cmd.Flag(flag[2:]) == nil {
					t.Errorf("%s: no command has the flag %s of %s", where, flag, code)
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("found %d flags: the pages have more", checked)
	}
}

func TestParses_RejectsWrongCommandLines(t *testing.T) {
	for line, valid := range map[string]bool{
		"dump devices/a": true, "dump": true, "purge": true, "dev --port 8080 -- make smoke": true, "failed list --table T": true,
		"dump devices/a devices/b": false, "dupm": false, "failed lost": false, "verify --fast": false, "dev make smoke": false, "status devices/a": false,
	} {
		if err := parses(shellWords(line)); (err == nil) != valid {
			t.Errorf("tidemark %s: got %v, want valid %v", line, err, valid)
		}
	}
}

// commandLines returns the command lines of a page without the word tidemark, from code
// blocks and from code within sentences.
func commandLines(page string) (all []string) {
	for _, part := range codeParts.FindAllString(page, -1) {
		part, block := strings.CutPrefix(part, "```")
		part = strings.ReplaceAll(strings.Trim(part, "`"), "\\\n", " ")
		if !block {
			part = strings.Join(strings.Fields(part), " ")
		}
		for line := range strings.Lines(part) {
			line, found := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(line), "$ "), "tidemark ")
			if found {
				line, _, _ = strings.Cut(line, " > ")
				all = append(all, remark.ReplaceAllString(line, ""))
			}
		}
	}
	return all
}

// parses returns nil if the command line parses, without running it. Arguments may be
// missing, because sentences name commands without them.
func parses(args []string) error {
	root := rootCommand()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil
		}
		return err
	}
	if given := cmd.Flags().Args(); len(given) > 0 {
		return cmd.ValidateArgs(given)
	}
	return nil
}
