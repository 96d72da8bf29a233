package hour

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	address    = regexp.MustCompile(`HTTP API  http://(127\.0\.0\.1:\d+)`)
)

// The blocks of the README run as they are typed, in their order, with the time of now, in the directory of
// a dev. Only its port is another.
func TestReadme_BlocksRunAsTyped(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		testenv.Missing(t, "curl", "curl is not installed")
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := shellBlock.FindAllStringSubmatch(string(text), -1)
	want := [][]string{
		{"make build-local", "tidemark dev --port 8080\n"}, // builds and starts, as newHour and startDev do
		{" applied\n", "22.4"},
		{`"outcome":"applied"`, `"count":1`},
		{" applied\n", "  open\n", "withdrawn"},
		{",Europe/Berlin,false,,,,,,,,,,\n"},
	}
	if len(blocks) != len(want) {
		t.Fatalf("README.md has %d shell blocks, want %d", len(blocks), len(want))
	}
	h := newHour(t)
	h.startDev()
	api := address.FindStringSubmatch(h.transcript.String())
	if api == nil {
		t.Fatalf("dev does not print its address:\n%s", h.transcript.String())
	}
	for _, part := range want[0] {
		if !strings.Contains(blocks[0][1], part) {
			t.Errorf("the first block has no %q:\n%s", part, blocks[0][1])
		}
	}
	for i, block := range blocks[1:] {
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c",
			strings.ReplaceAll(block[1], "localhost:8080", api[1]))
		cmd.Dir, cmd.Env = h.dir, append(h.environment(), "PATH="+h.dir+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		t.Logf("%s%s", block[1], out)
		if err != nil {
			t.Fatal(err)
		}
		rest := string(out)
		for _, part := range want[i+1] {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("the output has no %q where it belongs", part)
			}
			rest = after
		}
	}
}

// README is for newcomers: what they need, in 900 words.
func TestReadme_IsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(string(text))); words > 900 {
		t.Errorf("README.md has %d words, want 900 at most", words)
	}
}
