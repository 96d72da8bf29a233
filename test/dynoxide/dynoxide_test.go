// Package dynoxide runs the contract of stores and the stack on dynoxide, an independent
// implementation of DynamoDB. README.md lists where it differs from DynamoDB Local.
package dynoxide

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// version is the one that scripts/dynoxide.sh builds.
const version = "3.2.0"

func TestMain(m *testing.M) { ddbtest.Main(m) }

// program returns the path of dynoxide, which scripts/dynoxide.sh has built.
func program(t *testing.T) string {
	t.Helper()
	testenv.LongOnly(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "tidemark", "dynoxide-"+version, "bin", "dynoxide")
	if _, err := os.Stat(path); err != nil {
		testenv.Missing(t, "dynoxide",
			"dynoxide is not built: run scripts/dynoxide.sh, which needs cargo (https://rustup.rs)")
	}
	return path
}

// start runs an empty dynoxide for one test, and returns its endpoint.
func start(t *testing.T) string {
	t.Helper()
	path := program(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(address)
	server := exec.CommandContext(t.Context(), path, "--port", port) // ends with the test
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Wait() })
	for deadline := time.Now().Add(30 * time.Second); ; {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address
		}
		if time.Now().After(deadline) {
			t.Fatalf("dynoxide does not listen on %s:\n%s", address, &log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// differences returns the table in README.md: whether a fact differs always, by its name without
// spaces.
func differences(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	always := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+/[^|]+) \| (always|sometimes) \|`).FindAllSubmatch(
		page, -1) {
		always[strings.ReplaceAll(string(row[1]), " ", "_")] = string(row[2]) == "always"
	}
	return always
}

var failedFact = regexp.MustCompile(`--- FAIL: TestDynamo_PassesTheContract/([^/\s]+/\S+)`)

func TestDynoxide_DiffersFromTheContractOnlyAsListed(t *testing.T) {
	endpoint := start(t)
	contract := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run",
		"^TestDynamo_PassesTheContract$", "../../internal/engine/storetest")
	contract.Env = append(os.Environ(), "TIDEMARK_ENDPOINT="+endpoint)
	out, err := contract.CombinedOutput()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) ||
		bytes.Contains(out, []byte("panic:")) {
		t.Fatalf("the contract did not run: %v\n%s", err, out)
	}
	listed := differences(t)
	for _, fact := range failedFact.FindAllSubmatch(out, -1) {
		if _, ok := listed[string(fact[1])]; !ok {
			t.Errorf("%s differs, and README.md does not list it:\n%s", fact[1], out)
		}
		delete(listed, string(fact[1]))
	}
	for fact, always := range listed {
		if always {
			t.Errorf("README.md lists %s, which does not differ: remove it", fact)
		}
	}
}

// The observations are of all devices, and few: one line in a number of lines.
const oneLineIn = 8

func TestDynoxide_TheStackWritesTheRowsThatItWritesToDynamoDBLocal(t *testing.T) {
	endpoint, reference := start(t), ddbtest.ForTest(t)
	file := sample(t)
	want := stackRows(t, reference.Endpoint, file)
	got := stackRows(t, endpoint, file)
	if len(want) < 500 {
		t.Errorf("%d rows, want at least 500", len(want))
	}
	for key := range want {
		if !bytes.Equal(got[key], want[key]) {
			t.Errorf("row %v differs from DynamoDB Local's: %d bytes, want %d", key, len(got[key]), len(want[key]))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
}

// sample writes some lines of the loggers to a file.
func sample(t *testing.T) string {
	t.Helper()
	zipped, err := os.Open("../data/loggers.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	text, err := gzip.NewReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	lines := bufio.NewScanner(text)
	for n := 0; lines.Scan(); n++ {
		if n%oneLineIn == 0 { // with the header
			fmt.Fprintln(&out, lines.Text())
		}
	}
	path := filepath.Join(t.TempDir(), "loggers.csv")
	if err := errors.Join(lines.Err(), os.WriteFile(path, out.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

// stackRows runs the stack on an engine and returns the summaries of all rows after a replay.
func stackRows(t *testing.T, endpoint, file string) map[rollup.Key][]byte {
	t.Helper()
	if _, err := stack.FindStackBinaries(t.Context(), config.Default()); err != nil {
		testenv.Missing(t, "binaries", err)
	}
	rig, err := loggers.StartRig(t.Context(),
		loggers.Options{Root: "../..", Endpoint: endpoint, Faults: stack.Faults{Seed: 1, Again: 5, Recut: 5}})
	if err != nil {
		t.Fatal(err)
	}
	defer rig.Stop()
	var out bytes.Buffer
	if err := rig.Tidemark(t.Context(), &out, "replay", "--batch", "100", "--map", loggers.Map,
		file); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	rows, err := rig.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[rollup.Key][]byte{}
	for _, row := range rows {
		if !row.Exact {
			t.Errorf("row %v is inexact", row.Key)
		}
		all[row.Key] = row.Summary.Encode(nil)
	}
	return all
}
