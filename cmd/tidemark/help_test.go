package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/target"
)

// commands returns every command, by the words that run it.
func commands() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		all[cmd.CommandPath()] = cmd
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand())
	return all
}

func TestHelp_EachCommandHasIt(t *testing.T) {
	for path, cmd := range commands() {
		if cmd.Long == "" || cmd.Short == "" || len(cmd.Short) > 90 || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s has no help, or its first line is not a short description: %q", path, cmd.Short)
		}
	}
}

// Help repeats what other packages define.
func TestHelp_AgreesWithTheCode(t *testing.T) {
	all := commands()
	for path, text := range map[string]string{
		"history": httpapi.WhereForms, "export rollups": columns.Header, "subject create": arguments.FieldsUse,
		"subject update": arguments.FieldsUse, "event correct": arguments.FieldsUse, "smoke": target.EnvToken, "ui": target.EnvToken,
	} {
		cmd := all["tidemark "+path]
		// lines may end anywhere
		if cmd == nil || !strings.Contains(strings.Join(strings.Fields(cmd.Long+cmd.Example), " "), text) {
			t.Errorf("the help of %s does not contain %q", path, text)
		}
	}
}

func TestArgumentsOf_FollowsTheUsageLine(t *testing.T) {
	for _, c := range []struct {
		use         string
		least, most int // -1 for any number
	}{
		{"status", 0, 0},
		{"show ID", 1, 1},
		{"top SUBJECT DIMENSION", 2, 2},
		{"alerts [SUBJECT]", 0, 1},
		{"list TYPE [FIELD=VALUE]", 1, 2},
		{"retry [ID…]", 0, -1},
		{"cost [KIND...]", 0, -1},
		{"update SUBJECT FIELD=TEXT…", 2, -1},
		{"smoke --stack NAME", 0, 0},
		{"latest SUBJECT | latest KINDS --by VALUE", 1, 1},
	} {
		check := parseUsage(c.use).check
		for n := range 5 {
			want := n >= c.least && (c.most < 0 || n <= c.most)
			if err := check(&cobra.Command{Use: c.use}, make([]string, n)); (err == nil) != want {
				t.Errorf("%s: %d arguments: %v", c.use, n, err)
			}
		}
	}
}

func TestUnknownWords_NameWhatWasMeant(t *testing.T) {
	for line, want := range map[string]string{
		"rollup devices/a":                 `did you mean tidemark rollups?`,
		"subjects":                         `did you mean tidemark subject?`,
		"list":                             `did you mean tidemark ls?`,
		"rule rm devices too-hot":          `did you mean tidemark rule remove?`,
		"event update devices/a":           `did you mean tidemark event correct?`,
		"rule lst devices":                 `did you mean tidemark rule list?`,
		"rollups devices/a --since 7d":     `did you mean --last?`,
		"rollups devices/a --timezone UTC": `did you mean --zone?`,
		"rollups devices/a --format csv":   `did you mean --output?`,
		"rollups devices/a --messure x":    `did you mean --measure?`,
		"export devices/a":                 `"tidemark export": want rollups or events or check`,
		"export rollups --subject a":       `(it is an argument without a flag: tidemark export rollups`,
		"rule add devices a --lower 5":     `did you mean --below?`,
		"import a.csv --head 2":            `did you mean --skip?`,
		"rollups devices/a --wait":         "unknown flag: --wait\n",
		"silent":                           `did you mean tidemark ls devices --silent 1h?`,
		"rule add devices":                 `the argument NAME is missing`,
		"tail devices/a":                   `did you mean tidemark history --follow?`,
		"adopt --restored":                 `did you mean tidemark restore?`,
		"alerts acknowledge":               `did you mean tidemark alerts ack?`,
		"cost READING --series 5,000":      `--series 5,000: not a number: write digits alone, such as 1000`,
		"clock 2d":                         `"2d": want a duration after a plus, such as +2d or +90m`,
		"dev mapping maybe":                `"maybe": want on or off`,
		"event correct devices/a note=x":   `the argument TIME is missing: tidemark event correct`,
		"send temperature=1":               `the argument SUBJECT is missing: tidemark send`,
		"export rollups --tier daily":      `did you mean day?`,
		"devices":                          `did you mean tidemark ls devices?`,
		"rule list":                        `the argument SUBJECTS is missing: tidemark rule list SUBJECTS`,
		"event get devices/a":              `the argument TIME is missing`,
		"history devices/a extra":          `unexpected argument "extra": tidemark history`,
	} {
		var stderr strings.Builder
		if status := run(t.Context(), strings.Fields(line), nil, io.Discard, &stderr); status != exitUsage ||
			!strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %s; want %q", line, status, stderr.String(), want)
		}
	}
}

// What is suggested exists.
func TestOtherWords_NameCommandsAndFlags(t *testing.T) {
	for typed, path := range otherWords {
		path, _, _ = strings.Cut(path, " --")
		_, rest, err := rootCommand().Find(strings.Fields(strings.TrimSuffix(path, " devices")))
		if err != nil || len(rest) > 0 {
			t.Errorf("%s: %s is not a command: %v", typed, path, err)
		}
		if found, rest, err := rootCommand().Find(strings.Fields(typed)); err == nil && len(rest) == 0 &&
			found.HasParent() {
			t.Errorf("%s is a command itself", typed)
		}
	}
	flags := map[string]bool{"version": true}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand())
	for typed, flag := range otherFlags {
		if !flags[flag] {
			t.Errorf("%s: --%s is not a flag", typed, flag)
		}
	}
}
