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
