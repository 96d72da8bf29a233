package configfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind_PrefersTheNamedFileThenTheAdjacentOneThenTheDefault(t *testing.T) {
	dir := t.TempDir()
	observations := func(named string) int {
		t.Helper()
		c, err := find(named, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.Limits.Observations
	}
	if got := observations(""); got != config.Default().Limits.Observations {
		t.Errorf("without any file: %d, want the default", got)
	}
	write(t, dir, FileName, "limits: {observations: 22}")
	if got := observations(""); got != 22 {
		t.Errorf("with a file in the directory of the executable: %d, want 22", got)
	}
	named := write(t, dir, "named.yaml", "limits: {observations: 33}")
	if got := observations(named); got != 33 {
		t.Errorf("with a named file: %d, want 33", got)
	}
}

func TestFromEnv_ReadsTheFileThatTheEnvironmentNames(t *testing.T) {
	named := write(t, t.TempDir(), "named.yaml", "limits: {observations: 33}")
	c, err := FromEnv(func(name string) string { return map[string]string{EnvFile: named}[name] })
	if err != nil || c.Limits.Observations != 33 {
		t.Errorf("FromEnv = %+v, %v; want 33 observations", c, err)
	}
}

func TestFromEnv_ANamedFileThatIsMissingIsAnError(t *testing.T) {
	_, err := FromEnv(func(string) string { return filepath.Join(t.TempDir(), "nowhere.yaml") })
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), EnvFile) {
		t.Errorf("got %v, want fs.ErrNotExist and what to do", err)
	}
}

func TestLoad_MistakesNameTheFile(t *testing.T) {
	path := write(t, t.TempDir(), "mine.yaml", "limits: {fields: 0}")
	_, err := Load(path)
	if err == nil || !strings.HasPrefix(err.Error(), path+":1:18: limits.fields: ") {
		t.Errorf("got %v, want the path and place", err)
	}
}

func TestParseDuration_InvertsSpanText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(1, int64(longest/time.Second)).Draw(t, "seconds")) * time.Second
		if got, err := parseDuration(config.SpanText(d)); err != nil || got != d {
			t.Fatalf("parseDuration(%q) = %v, %v; want %v", config.SpanText(d), got, err, d)
		}
	})
}

func TestParseDuration_AcceptsAllUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0s": 0, "30s": 30 * time.Second, "5m": 5 * time.Minute, "12h": 12 * time.Hour,
		"30d": 720 * time.Hour, "2y": 730 * tier.Day24, "200y": longest,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("parseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "d", "5 d", "05d", "1.5h", "1h30m", "5D", "201y",
		"99999999999999999999s", "forever", "５d"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("parseDuration(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseSize_InvertsSizeText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1<<30).Draw(t, "bytes")
		if got, err := parseSize(config.SizeText(n)); err != nil || got != n {
			t.Fatalf("parseSize(%q) = %v, %v; want %v", config.SizeText(n), got, err, n)
		}
	})
}

// Parse returns a configuration that is valid and makes a catalog, or mistakes with a file and
// a message.
func FuzzParse(f *testing.F) {
	testenv.AddCorpus(f)
	shipped, err := os.ReadFile("../../../tidemark.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(shipped), "", "a: *b", "&a [*a]", "? {}\n: 1", "<<: {a: b}", "kinds: {A: {subject: {name: B}}}",
		"tiers: {raw: 30d, minute: 34d}", "limits: !!str {}", "---\n---", "\xff\xfe", "kinds:\n  A:\n    measures: {? [x] : 1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f.yaml", data)
		if err != nil {
			var mistakes config.Mistakes
			if c != nil || !errors.As(err, &mistakes) || len(mistakes) == 0 {
				t.Fatalf("Parse = %v, %v; want nil and Mistakes", c, err)
			}
			for _, m := range mistakes {
				if m.File != "f.yaml" || m.Message == "" {
					t.Errorf("a mistake without file or message: %+v", m)
				}
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Errorf("Parse returned a configuration that Validate rejects: %v", err)
		}
		if _, err := c.Catalog(); err != nil {
			t.Errorf("Parse lets pass what makes no catalog: %v", err)
		}
	})
}
