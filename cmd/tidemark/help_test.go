package main

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/export"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/target"
)

// Each command has help, and no help is without a command.
func TestHelp_EachCommandHasAFile(t *testing.T) {
	var want []string
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		want = append(want, "help/"+strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".txt")
		if cmd.Long == "" || cmd.Short == "" || len(cmd.Short) > 90 || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s has no help, or its first line is not a short description: %q", cmd.CommandPath(), cmd.Short)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand())
	got, err := fs.Glob(helpTexts, "help/*")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// Help repeats what other packages define.
func TestHelp_AgreesWithTheCode(t *testing.T) {
	for file, text := range map[string]string{
		"history": httpapi.WhereForms, "export-rollups": export.Header, "subject-create": arguments.FieldsUse,
		"subject-update": arguments.FieldsUse, "event-correct": arguments.FieldsUse, "smoke": target.EnvToken, "ui": target.EnvToken,
	} {
		help, err := helpTexts.ReadFile("help/tidemark-" + file + ".txt")
		if err != nil || !strings.Contains(strings.Join(strings.Fields(string(help)), " "), text) { // lines may end anywhere
			t.Errorf("%s: %v, want %q in it", file, err, text)
		}
	}
}

func TestArgumentsOf_FollowsTheUsageLine(t *testing.T) {
	for _, c := range []struct {
		use         string
		least, most int // -1 for any number
	}{
		{"gap", 0, 0},
		{"show ID", 1, 1},
		{"top SUBJECT DIMENSION", 2, 2},
		{"alerts [SUBJECT]", 0, 1},
		{"list TYPE [FIELD=VALUE]", 1, 2},
		{"retry [ID…]", 0, -1},
		{"cost [KIND...]", 0, -1},
		{"update SUBJECT FIELD=TEXT…", 2, -1},
		{"wait --through TIME", 0, 0},
		{"latest SUBJECT | latest KINDS --by VALUE", 1, 1},
	} {
		check := argumentsOf(c.use)
		for n := range 5 {
			want := n >= c.least && (c.most < 0 || n <= c.most)
			if err := check(&cobra.Command{Use: c.use}, make([]string, n)); (err == nil) != want {
				t.Errorf("%s: %d arguments: %v", c.use, n, err)
			}
		}
	}
}
