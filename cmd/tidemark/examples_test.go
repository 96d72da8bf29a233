package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/stack"
)

// example is a command line that a page or a help text shows.
type example struct{ where, line string }

// elsewhere are the examples that need what a test does not have, by a part of the line, and what that is.
var elsewhere = map[string]string{
	" --stack ":                "a stack in AWS",
	"s3://":                    "a bucket",
	"amazonaws.com":            "a deployed API",
	"arn:aws:":                 "a secret in AWS",
	"aws events":               "an account of AWS",
	"AWS_PROFILE":              "an account of AWS",
	"STACK=":                   "a stack in AWS",
	"cdk bootstrap":            "an account of AWS",
	"tidemark deploy":          "an account of AWS; the guide has tests of its own",
	"make deploy-":             "Node; the infrastructure has tests of its own",
	"make synth":               "Node; the infrastructure has tests of its own",
	"make diff STAGE":          "Node; the infrastructure has tests of its own",
	"make live-check":          "an account of AWS",
	"https://example.com/":     "the site of the example",
	"--restored":               "a table that was restored",
	"git show HEAD":            "a checkout",
	"ssh-keygen":               "a release",
	"sha256sum":                "a release",
	"--engine dynamodb-local":  "Java",
	"--file .tidemark/on-fail": "a batch that failed",
	"man tidemark-rollups":     "the pager of manual pages",
	"5f1d4c0c2b8d4f9e":         "rejected input without a caller; failedrejected_test.go has it",
	"rotate ARN":               "a secret in AWS",
	"sensor_01 --yes":          "minutes, for writes that have begun; lifecycle.txtar has it",
	"readings --by open":       "a kind with latestBy",
	"by-site":                  "a kind with groups, for which status --wait takes minutes",
	"READING_BY_SITE":          "a kind with groups",
}

// endless are the commands that run until Ctrl-C, with a part of what they print when they have begun.
var endless = map[string]string{
	"tidemark dev":   "Tidemark is up",
	"tidemark ui":    "Ctrl-C ends them",
	"verify --watch": "", // the first line comes after a minute
	"--follow":       "",
}

// endsByItself matches lines that end although they contain one of these.
var endsByItself = regexp.MustCompile(` -- |dev mapping`)

// before are the lines that make what the examples of a page or a command are about.
var before = map[string][]string{
	"verify":        {"sleep 8"},                // until aggregate has processed the changes
	"rebuild":       {"tidemark rebuild --all"}, // so that a dry run finds nothing to change
	"event correct": {"tidemark send devices/sensor_01 temperature=20 note=x --at 2026-11-01T14:00:00Z"},
}

// Every example of the help texts and every shell block of the pages runs as it is typed, on one dev, unless
// the list elsewhere says what it needs. test/hour runs the README and compares its output.
func TestExamples_RunAsTyped(t *testing.T) {
	t.Parallel() // most of it is waiting
	functions, err := stack.FindStackBinaries(t.Context(), config.Default())
	if errors.Is(err, stack.ErrNoBinaries) {
		testenv.Missing(t, "binaries", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := newExampleRun(t, functions)
	used := map[string]bool{}
	ran := 0
	for _, e := range inOrder(append(helpExamples(), pageExamples(t)...)) {
		if part := firstPart(e.line, elsewhere); part != "" {
			used[part] = true
			continue
		}
		ran++
		for _, line := range before[e.where] {
			if !used[e.where] {
				r.run(example{where: e.where, line: line})
			}
		}
		used[e.where] = true
		if part := firstPart(e.line, endless); part != "" && !endsByItself.MatchString(e.line) {
			used[part] = true
			_, end := r.start(e, r.place(e.line), endless[part])
			end()
			continue
		}
		r.run(e)
	}
	if ran < 100 {
		t.Errorf("%d examples ran: there are more", ran)
	}
	for _, list := range []map[string]string{elsewhere, endless} {
		for part := range list {
			if !used[part] {
				t.Errorf("no example contains %q: remove it from the list", part)
			}
		}
	}
	for where := range before {
		if !used[where] {
			t.Errorf("no example is of %q: remove it from the list", where)
		}
	}
}

// inOrder returns the examples with those last that others cannot follow: they move the clock and purge.
func inOrder(all []example) []example {
	last := []string{"clock", "dev mapping", "purge"}
	rank := func(e example) int { return slices.Index(last, e.where) }
	slices.SortStableFunc(all, func(a, b example) int { return rank(a) - rank(b) })
	return all
}

// firstPart returns a key of parts that is in line, the longest, or "".
func firstPart(line string, parts map[string]string) (found string) {
	for part := range parts {
		if len(part) > len(found) && strings.Contains(line, part) {
			found = part
		}
	}
	return found
}

// helpExamples returns the examples of all commands, in the order of the help.
func helpExamples() (all []example) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		where := strings.TrimPrefix(cmd.CommandPath(), "tidemark ")
		for _, line := range shellLines(cmd.Example) {
			all = append(all, example{where: where, line: line})
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand())
	return all
}

var (
	anyBlock    = regexp.MustCompile("(?ms)^ *```(.*?)\n(.*?)^ *```$")
	commandLine = regexp.MustCompile(`(?m)^ *\$? ?(tidemark|curl|make|aws|cdk|export|examples/\S+) .*[^.]$`)
	outsideCode = regexp.MustCompile(`(?m)^    (tidemark|curl|make|aws) `)
)

// pageExamples returns the lines of all shell blocks of the pages for users. A block of commands must be one
// of sh.
func pageExamples(t *testing.T) (all []example) {
	t.Helper()
	texts := pages(t, "docs/use/*.md", "docs/run/*.md", "examples/*.md")
	for _, where := range slices.Sorted(maps.Keys(texts)) {
		text := texts[where]
		for _, block := range anyBlock.FindAllStringSubmatch(text, -1) {
			switch {
			case block[1] == "sh":
				for _, line := range shellLines(block[2]) {
					all = append(all, example{where: where, line: line})
				}
			case commandLine.MatchString(block[2]):
				t.Errorf("%s: a block has commands: begin it with ```sh\n%s", where, block[2])
			}
		}
		if found := outsideCode.FindString(anyBlock.ReplaceAllString(text, "")); found != "" {
			t.Errorf("%s: %q is a command outside a block: put it between ```sh and ```", where, found)
		}
	}
	return all
}

// shellLines returns the commands of a block, without remarks; a line may continue behind a backslash.
func shellLines(block string) (lines []string) {
	for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
		line, _, _ = strings.Cut(line, " # ")
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// exampleRun is a dev with what the examples are about.
type exampleRun struct {
	*testing.T
	dir, functions, api string
	// the folder of the command, built as a user has it: without the race detector
	bin   string
	alert string          // the id of an open alert
	ctx   context.Context // ends before the test is ended, so that no process is left
}

// exampleFiles are what the examples read; exampleRun adds the archives.
var exampleFiles = map[string]string{
	"readings.ndjson": `{"deviceId":"sensor_01","timestamp":"2026-11-01T13:00:00Z","temperature":21}` + "\n" +
		`{"deviceId":"sensor_01","timestamp":"2026-11-01T13:00:00Z","stream":"status","battery":80}` + "\n",
	"imported_visitors_20241003_20241004.csv": "" +
		"date,visitors,pageviews,bounces,visits,visit_duration\n2024-10-03,7,12,3,8,940\n",
	"loggers.csv": "device,metric,ts,rec,value\nbuoy,temp,2026-04-20T09:00:00-05:00,1,1.5\n",
	"access.log": `203.0.113.7 - - [01/Nov/2026:13:00:00 +0000] "GET /about HTTP/1.1" 200 512 ` +
		`"https://a.example/" ` +
		`"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"` + "\n",
}

// setup are the lines after which every example has something to show.
var setup = []string{
	"gzip loggers.csv access.log",
	"tidemark import --wait readings.ndjson",
	"tidemark export events --to exported --format parquet",
	"cp exported/events/kind=READING/day=2026-11-01/part.parquet history.parquet",
	"tidemark send hosts/web-1 usage=3 --stream cpu,cpu=cpu0",
	"tidemark rule add devices warm --measure temperature --above 30",
	"tidemark send devices/oven temperature=350",
}

// newExampleRun starts a dev in a folder with the files that the examples name.
func newExampleRun(t *testing.T, functions string) *exampleRun {
	t.Helper()
	r := &exampleRun{T: t, dir: t.TempDir(), bin: t.TempDir(), functions: functions, ctx: t.Context()}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(r.bin, "tidemark"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if deadline, ok := t.Deadline(); ok {
		ctx, cancel := context.WithDeadline(t.Context(), deadline.Add(-10*time.Second))
		t.Cleanup(cancel)
		r.ctx = ctx
	}
	imports, err := os.ReadFile("../../internal/data/formats/importedday.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(exampleFiles)
	all["tidemark.yaml"] = string(imports)
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.archive("export.zip", "imported_visitors_20241003_20241004.csv")
	welcome, end := r.start(example{where: "dev", line: "tidemark dev"}, r.dir, "Tidemark is up")
	t.Cleanup(end)
	r.api = localAddress.FindString(welcome)
	for _, line := range setup {
		r.run(example{where: "setup", line: line})
	}
	for added := time.Now(); r.alert == ""; time.Sleep(100 * time.Millisecond) {
		r.alert = alertID.FindString(r.run(example{where: "setup", line: "tidemark alerts"}))
		if time.Since(added) > alertWithin {
			t.Fatalf("no alert after %s", alertWithin)
		}
	}
	return r
}

// alertWithin is much less than processes keep their rules for, and long for a busy machine.
const alertWithin = 40 * time.Second

var (
	localAddress = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	alertID      = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`)
)

// archive puts a file of the folder into a zip archive.
func (r *exampleRun) archive(name, file string) {
	r.Helper()
	out, err := os.Create(filepath.Join(r.dir, name))
	if err != nil {
		r.Fatal(err)
	}
	w := zip.NewWriter(out)
	part, err := w.Create(file)
	if err != nil {
		r.Fatal(err)
	}
	_, err = io.WriteString(part, exampleFiles[file])
	if err := errors.Join(err, w.Close(), out.Close()); err != nil {
		r.Fatal(err)
	}
}

// command returns what a person types in a newcomer's environment, with what differs from machine to machine:
// the addresses, the ids, and the folder of the functions, which an archive of a release has beside it.
func (r *exampleRun) command(dir, line string) *exec.Cmd {
	if strings.Contains(line, keyInHelp) {
		created := r.run(example{where: "setup", line: "tidemark access key create another"})
		line = strings.ReplaceAll(line, keyInHelp, keyID.FindString(created))
	}
	line = strings.NewReplacer(
		"tidemark dev mapping", "tidemark dev mapping",
		"tidemark dev", "tidemark dev --functions "+r.functions,
		"--port 8080", "--port 0", "--mqtt", "--mqtt=127.0.0.1:0",
		"localhost:8080", r.api, alertInHelp, r.alert,
	).Replace(line)
	cmd := exec.CommandContext(r.ctx, "sh", "-e", "-c", line)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "TIDEMARK_") || strings.HasPrefix(v, "AWS_")
	})
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir,
		"PATH="+r.bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "AWS_EC2_METADATA_DISABLED=true")
	return cmd
}

// The ids that the help has.
const (
	keyInHelp   = "4bq7x2m9ka"
	alertInHelp = "01KPN3Q8G0V7H4T2W9R5M6C1XA"
)

var keyID = regexp.MustCompile(`[a-z2-7]{10}`)

// run types a line, and returns its output.
func (r *exampleRun) run(e example) string {
	r.Helper()
	began := time.Now()
	cmd := r.command(r.dir, e.line)
	out, err := cmd.CombinedOutput()
	r.Logf("%s: %s (%s)\n%.1000s", e.where, e.line, time.Since(began).Round(time.Millisecond), out)
	if err != nil {
		r.Errorf("%s: %s: %v\n%s", e.where, e.line, err, out)
	}
	return string(out)
}

// start types a line that runs until Ctrl-C, and waits until it has printed a text. It returns the output
// until then, and what presses Ctrl-C.
func (r *exampleRun) start(e example, dir, text string) (printed string, end func()) {
	r.Helper()
	out := &seen{text: text, done: make(chan struct{})}
	cmd := r.command(dir, "exec "+e.line)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		r.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	wait := time.Minute
	if text == "" {
		wait = time.Second // it prints nothing, and runs on
	}
	select {
	case <-out.done:
	case <-ended:
		r.Errorf("%s: %s: ended by itself", e.where, e.line)
	case <-time.After(wait):
	}
	r.Logf("%s: %s\n%s", e.where, e.line, out.String())
	if !strings.Contains(out.String(), text) {
		r.Errorf("%s: %s: the output has no %q:\n%s", e.where, e.line, text, out.String())
	}
	return out.String(), func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	}
}

// place returns the folder in which a line is typed. A second dev has one of its own.
func (r *exampleRun) place(line string) string {
	if strings.Contains(line, "tidemark dev") {
		return r.TempDir()
	}
	return r.dir
}

// seen closes its channel when what is written contains a text.
type seen struct {
	mu   sync.Mutex
	all  bytes.Buffer // guarded by mu
	text string
	once sync.Once
	done chan struct{}
}

func (s *seen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(p)
	if strings.Contains(s.all.String(), s.text) {
		s.once.Do(func() { close(s.done) })
	}
	return len(p), nil
}

func (s *seen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}
