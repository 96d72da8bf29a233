// Package hour tests the first hour with Tidemark as a transcript: what a newcomer types, and
// every line that comes back.
package hour

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/stack"
)

var update = flag.Bool("update", false, "rewrite the golden transcript")

const golden = "testdata/hour.txt"

// steps are what the newcomer types; "" starts or restarts dev. DAY is forty days ago,
// so that every bucket is closed.
var steps = []string{
	"# nothing runs yet",
	"tidemark history devices/sensor_01",
	"# start",
	"",
	"# the first readings: a file with awkward cells",
	"tidemark import --wait readings.csv",
	"tidemark latest devices/sensor_01",
	"tidemark history devices/sensor_01",
	"tidemark rollups devices/sensor_01 --tier hour",
	"tidemark rollups devices/sensor_01 --tier day --zone Asia/Kathmandu",
	"# an alert, at once",
	"tidemark rule add devices/sensor_01 too-hot --measure temprature --above 30",
	"tidemark rule add devices/sensor_01 too-hot --measure temperature --above 22 --by me",
	"tidemark alerts",
	"# the value was wrong",
	"tidemark event get devices/sensor_01 DAYT14:10:00Z",
	"tidemark event correct devices/sensor_01 DAYT14:10:00Z temperature=21.5",
	"tidemark event delete devices/sensor_01 DAYT14:05:00Z",
	"tidemark event delete devices/sensor_01 DAYT14:05:00Z",
	"tidemark import --wait none.ndjson",
	"tidemark rollups devices/sensor_01 --tier hour",
	"tidemark alerts devices/sensor_01",
	"tidemark export rollups --tier hour",
	"tidemark verify",
	"# asked wrongly",
	"tidemark rollups devices/sensor_01 --tier daily",
	"tidemark rollups devices/sensor_01 --tier day --zone Mars/Olympus",
	"tidemark event get devices/sensor_01 yesterday",
	"# the power fails, and dev starts again",
	"",
	"tidemark latest devices/sensor_01",
	"tidemark rollups devices/sensor_01 --tier hour",
}

const readings = "deviceId;timestamp;temperature;note\n" +
	"sensor_01;DAYT14:00:00Z; 22,4 ;first\n" +
	"sensor_01;DAYT14:05:00Z;22,4;\n" +
	"sensor_01;DAYT14:10:00Z;224;typing error\n"

func TestHour_Transcript(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		testenv.Missing(t, "binaries", "there is no go tool to build the command line with")
	}
	h := newHour(t)
	for _, step := range steps {
		switch {
		case strings.HasPrefix(step, "#"):
			h.transcript.WriteString("\n" + step + "\n")
		case step == "":
			h.startDev()
		default:
			h.run(step)
		}
	}
	got := h.normal(h.transcript.String())
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the first hour changed: read every line as a newcomer, then go test ./test/hour "+
			"-update (- listed, + now):\n%s", diff)
	}
}

type hour struct {
	*testing.T
	dir, tidemark, functions, day string
	dev                           *exec.Cmd
	transcript                    bytes.Buffer
}

func newHour(t *testing.T) *hour {
	t.Helper()
	functions, err := stack.FindStackBinaries(t.Context(), config.Default())
	if err != nil {
		t.Fatal(err)
	}
	h := &hour{T: t, dir: t.TempDir(), functions: functions,
		day: time.Now().UTC().AddDate(0, 0, -40).Format(time.DateOnly)}
	h.tidemark = filepath.Join(h.dir, "tidemark")
	if out, err := exec.Command("go", "build", "-o", h.tidemark,
		"../../cmd/tidemark").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{"readings.csv": readings, "none.ndjson": ""} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(strings.ReplaceAll(text, "DAY", h.day)),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// environment is a newcomer's: nothing of Tidemark is set.
func (h *hour) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "TIDEMARK_") || strings.HasPrefix(v, "AWS_")
	})
	return append(env, "XDG_CACHE_HOME="+filepath.Join(h.dir, "cache"), "HOME="+h.dir,
		"AWS_EC2_METADATA_DISABLED=true")
}

// run types one command.
func (h *hour) run(line string) {
	h.Helper()
	line = strings.ReplaceAll(line, "DAY", h.day)
	cmd := exec.CommandContext(h.Context(), h.tidemark, strings.Fields(line)[1:]...)
	cmd.Dir, cmd.Env = h.dir, h.environment()
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		h.Fatal(err)
	}
	h.transcript.WriteString("\n$ " + line + "\n" + out.String() + messages.String())
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		h.transcript.WriteString("[exit status " + string(rune('0'+code)) + "]\n")
	}
}

// startDev starts dev, after killing the one that runs, and waits for its welcome.
func (h *hour) startDev() {
	h.Helper()
	if h.dev != nil {
		_ = h.dev.Process.Signal(syscall.SIGKILL)
		_ = h.dev.Wait()
	}
	h.dev = exec.CommandContext(h.Context(), h.tidemark, "dev", "--functions", h.functions)
	h.dev.Dir, h.dev.Env = h.dir, h.environment()
	out := &welcome{seen: make(chan struct{})}
	h.dev.Stdout, h.dev.Stderr = out, out
	if err := h.dev.Start(); err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = h.dev.Process.Kill() })
	ctx, cancel := context.WithTimeout(h.Context(), time.Minute)
	defer cancel()
	select {
	case <-out.seen:
	case <-ctx.Done():
		h.Fatalf("dev is not up:\n%s", out.text())
	}
	h.transcript.WriteString("\n$ tidemark dev\n" + out.text())
}

// normal replaces what differs from run to run.
func (h *hour) normal(text string) string {
	text = strings.NewReplacer(h.day, "2026-11-01", h.dir, "~").Replace(text)
	for _, r := range []struct{ pattern, with string }{
		{`127\.0\.0\.1:\d+`, "127.0.0.1:PORT"},
		{` +\d+\.\d s  `, "  0.0 s  "},
		{`dev/[\w.-]+-[0-9a-f]{8}`, "dev/PROJECT"},
		{`in \d+(\.\d+)?m?s \([\d,]+/s\)`, "in 0s (0/s)"},
		{`after \d+(\.\d+)?m?s more`, "after 0s more"},
		{`\b[0-9A-HJKMNP-TV-Z]{26}\b`, "ALERT"},
		{`(from|through|late|corrected) \d{4}-\d\d-\d\dT[\d:.]+Z`, "$1 TIME"},
		{`(arrivedAt|correctedAt)": "\d{4}-\d\d-\d\dT[\d:.]+Z`, "$1\": \"TIME"},
		{`\d+(\.\d+)?m?s\b`, "0s"},
		{`read units [\d.]+, items \d+, requests \d+`, "read units N, items N, requests N"},
		{`[^\n]*\r`, ""},
		{` +\n`, "\n"},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.with)
	}
	return strings.TrimLeft(text, "\n")
}
