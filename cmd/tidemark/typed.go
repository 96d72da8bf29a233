package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark-db/tidemark/internal/base/names"
)

// otherWords are commands as users of other programs type them, and the commands that they look for. A word
// of a group has the name of the group before it.
var otherWords = map[string]string{
	"aggregate": "rollups", "aggregates": "rollups", "chart": "rollups", "stats": "rollups", "query": "rollups",
	"total":  "rollups --total",
	"events": "history", "watch": "history --follow", "tail": "history --follow",
	"get": "latest", "last": "latest", "show": "latest",
	"devices": "ls devices", "list": "ls", "series": "ls",
	"adopt": "restore",
	"docs":  "generate docs", "grafana": "generate grafana", "man": "generate man",
	"completion": "generate completion",
	"site-key":   "site create --key", "sites": "site", "site add": "site create",
	"put": "send", "post": "send", "add": "send", "write": "send", "append": "send",
	"load":  "import",
	"start": "dev", "serve": "dev", "up": "dev", "run": "dev",
	"correct": "event", "update": "event", "delete": "event", "event update": "event correct",
	"event edit": "event correct", "event set": "event correct", "event change": "event correct",
	"event remove": "event delete", "event rm": "event delete", "event show": "event get",
	"alarm": "alerts", "alerts acknowledge": "alerts ack", "alerts close": "alerts resolve",
	"alerts list": "alerts",
	"notify":      "rule", "rule rm": "rule remove", "rule delete": "rule remove", "rule create": "rule add",
	"rule new": "rule add", "rule ls": "rule list", "rule show": "rule list",
	"pricing": "cost", "price": "cost",
	"check":  "verify",
	"silent": "ls devices --silent 1h", "offline": "ls devices --silent 1h",
	"mapping":    "dev mapping",
	"csv":        "export",
	"quarantine": "failed list", "undelivered": "failed list --source undelivered",
	"redrive": "failed retry --source batches", "retry": "failed retry", "errors": "failed list",
	"rejected": "failed list",
	"gap":      "status", "gaps": "status", "wait": "status --wait TIME", "health": "status",
	"reshape": "rebuild --fields KIND",
	"backup":  "dump",
	"key":     "access key", "keys": "access key list", "share": "access link", "link": "access link",
	"secret": "access secret", "access key add": "access key create", "access key rm": "access key revoke",
	"access key delete": "access key revoke", "access share": "access link",
	"limits":     "config limits",
	"subject ls": "subject list", "subject add": "subject create", "subject rm": "subject delete",
	"subject remove": "subject delete",
}

// otherFlags are flags as users of other programs type them, and the flags that they look for.
var otherFlags = map[string]string{
	"since": "last", "start": "from", "begin": "from", "after": "from", "until": "to", "end": "to",
	"before": "to", "tz": "zone", "timezone": "zone", "time-zone": "zone", "format": "output", "o": "output",
	"json": "output", "csv": "output", "granularity": "tier", "interval": "tier", "bucket": "tier",
	"field": "measure", "metric": "measure", "host": "url", "api": "url",
	"max": "above", "over": "above", "higher": "above", "min": "below", "under": "below", "lower": "below",
	"time": "at", "timestamp": "at", "date": "from", "month": "from", "yesterday": "last", "today": "last",
	"subject": "set", "device": "set", "head": "skip", "header": "skip", "n": "limit", "v": "version",
}

// typedPath returns a word with the names of the groups before it, as in otherWords.
func typedPath(cmd *cobra.Command, word string) string {
	return strings.TrimPrefix(cmd.CommandPath()+" "+word, cmd.Root().Name()+" ")
}

// unknownCommand returns the error for a word that is not a command of cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
	path := typedPath(cmd, word)
	var words []string
	for _, sub := range cmd.Commands() {
		words = append(words, sub.Name())
	}
	known := otherWords[strings.ToLower(path)]
	if known == "" {
		if known = names.Closest(word, words); known != "" {
			known = strings.TrimSuffix(path, word) + known
		}
	}
	text := ""
	switch {
	case known != "":
		text = fmt.Sprintf(" (did you mean %s %s?)", cmd.Root().Name(), known)
	case cmd.HasParent() && len(words) > 0:
		text = ": want " + strings.Join(words, " or ")
	}
	return fmt.Errorf("unknown command %q for %q%s", word, cmd.CommandPath(), text)
}

// flagError returns err, with the flag that was meant if one that exists is similar.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && errors.Is(err, strconv.ErrSyntax) {
		return fmt.Errorf("--%s %s: not a number: write digits alone, such as 1000",
			invalid.GetFlag().Name, invalid.GetValue())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasSubCommands() &&
		len(parseUsage(cmd.Use).words) == 0 {
		return unknownCommand(cmd, words[0]) // the flag is of another command
	}
	typed := unknown.GetSpecifiedName()
	if known := otherFlags[typed]; known != "" && cmd.Flag(known) != nil {
		return fmt.Errorf("%w (did you mean --%s?)", err, known)
	}
	for _, word := range parseUsage(cmd.Use).words {
		if strings.EqualFold(strings.Trim(word, "[]…."), typed) {
			return fmt.Errorf("%w (it is an argument without a flag: %s)", err, cmd.UseLine())
		}
	}
	var words []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { words = append(words, f.Name) })
	if known := names.Closest(typed, words); known != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, known)
	}
	return err
}

// usageArguments are the arguments that a usage line shows: those in brackets are optional, and one with …
// can be repeated. Flags and other forms of the command are not arguments.
type usageArguments struct {
	words    []string
	least    int
	repeated bool
}

func parseUsage(use string) (a usageArguments) {
	for _, word := range strings.Fields(use)[1:] {
		if word == "|" || strings.HasPrefix(word, "--") {
			break
		}
		a.words = append(a.words, word)
		if !strings.HasPrefix(word, "[") {
			a.least++
		}
		a.repeated = a.repeated || strings.Contains(word, "…") || strings.Contains(word, "...")
	}
	return a
}

// missing returns the first argument that is missing, or "". A field is typed in its place if fields follow.
func (a usageArguments) missing(args []string) string {
	isField := func(word string) bool { return strings.Contains(word, "=") && !strings.Contains(word, "/") }
	for i, word := range a.words[:a.least] {
		beforeFields := !isField(word) && isField(a.words[len(a.words)-1])
		if i >= len(args) || beforeFields && isField(args[i]) {
			return strings.TrimSuffix(word, "…")
		}
	}
	return ""
}

// check returns an error that names the argument that is missing, or one that is too many.
func (a usageArguments) check(cmd *cobra.Command, args []string) error {
	switch {
	case a.missing(args) != "":
		return fmt.Errorf("the argument %s is missing: %s", a.missing(args), cmd.UseLine())
	case len(args) > 0 && cmd.HasSubCommands() && otherWords[typedPath(cmd, args[0])] != "":
		return unknownCommand(cmd, args[0])
	case len(args) > 0 && len(a.words) == 0:
		return unknownCommand(cmd, args[0])
	case len(args) > len(a.words) && !a.repeated:
		return fmt.Errorf("unexpected argument %q: %s", args[len(a.words)], cmd.UseLine())
	}
	return nil
}
