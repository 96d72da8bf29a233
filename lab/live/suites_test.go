package live

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/tidemark-db/tidemark/internal/api/awsenv"
	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// onLocal returns an account whose table is in DynamoDB Local.
func onLocal(t *testing.T) *account {
	t.Helper()
	return at(t, ddbtest.ForTest(t).Endpoint)
}

// at returns an account whose table is at an endpoint.
func at(t *testing.T, endpoint string) *account {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "local")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "local")
	config, err := awsenv.Config("us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	return &account{
		stage: "check", stack: "tidemark-check", table: "tidemark-check-probes", files: t.TempDir(), outputs: map[string]string{},
		db:      dynamodb.NewFromConfig(config, func(o *dynamodb.Options) { o.BaseEndpoint = &endpoint }),
		streams: dynamodbstreams.NewFromConfig(config, func(o *dynamodbstreams.Options) { o.BaseEndpoint = &endpoint }),
		http:    http.DefaultClient, now: time.Now,
		sleep: func(ctx context.Context, d time.Duration) error { return retry.Sleep(ctx, d/20) },
	}
}

func TestMain(m *testing.M) { ddbtest.Main(m) }

func TestTable_ProbesHoldOnDynamoDBLocal(t *testing.T) {
	a := onLocal(t)
	for range 2 { // a scene may begin twice
		if err := createProbeTable(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range tableProbes {
		if evidence, err := p.run(t.Context(), a); err != nil || evidence == "" || p.suites != onDynamoDB {
			t.Errorf("%s: %q, %v", p.name, evidence, err)
		}
	}
	for range 2 {
		if err := deleteProbeTable(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStreamOrder_DoesNotHoldForOtherRecords(t *testing.T) {
	for _, numbers := range [][]string{nil, {"0"}, {"1", "0"}, {"0", "0", "1"}, {"0", "1", "2"}} {
		if inOrder(numbers, 2) == nil {
			t.Errorf("%v: want an error", numbers)
		}
	}
}

func TestTTL_IsKnownByTheServiceThatRemoves(t *testing.T) {
	const service = "Service dynamodb.amazonaws.com"
	held := []record{{name: "INSERT", key: "expired"}, {name: "REMOVE", key: "expired", service: service}}
	if got, err := removedBy(held); got != service || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	byUser := []record{{name: "REMOVE", key: "expired"}}
	if _, err := removedBy(byUser); err == nil || errors.Is(err, errNotSeen) {
		t.Errorf("removed by a user: %v", err)
	}
	kept := []record{{name: "REMOVE", key: "other", service: service}, {name: "INSERT", key: "expired"}}
	if _, err := removedBy(kept); !errors.Is(err, errNotSeen) {
		t.Errorf("not removed: %v", err)
	}
}

// The checks of the whole stack, on the stack that runs on this machine.
func TestStack_SmokeOracleAndAuthorizerHoldOnTheLocalStack(t *testing.T) {
	const root, device = "../..", "gwi_w_411"
	bin := t.TempDir()
	if _, err := execute(t.Context(), root, "go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o",
		filepath.Join(bin, "bin", "tidemark"), "./cmd/tidemark"); err != nil {
		t.Fatal(err)
	}
	rig, err := loggers.StartRig(t.Context(), loggers.Options{Root: root,
		Command: filepath.Join(bin, "bin", "tidemark"), Table: "live-check"})
	if err != nil {
		t.Fatal(err)
	}
	defer rig.Stop()
	t.Setenv("TIDEMARK_ENDPOINT", rig.Stack.Endpoint)
	a := at(t, rig.Stack.Endpoint)
	a.outputs["TableName"] = rig.Stack.Table
	a.outputs["ApiUrl"] = rig.Stack.URL
	a.checkout = bin
	a.command = execute
	a.data = ofDevice(t, filepath.Join(root, "test/data/loggers.csv.gz"), device)
	a.expected = ofDevice(t, filepath.Join(root, "test/data/loggers.oracle.csv.gz"), device)
	r := &run{account: a}
	for name, do := range map[string]func(context.Context) (string, error){"smoke": r.smoke,
		"oracle": r.oracle} {
		if evidence, err := do(t.Context()); err != nil || evidence == "" {
			t.Errorf("%s: %q, %v", name, evidence, err)
		}
	}
	if r.Oracle.Events < 1000 || !r.Oracle.To.After(r.Oracle.From) {
		t.Errorf("the oracle's window is %+v", r.Oracle)
	}
	for _, p := range allProbes() {
		if p.suites != onStack {
			continue
		}
		if evidence, err := p.run(t.Context(), a); err != nil || evidence == "" {
			t.Errorf("%s: %q, %v", p.name, evidence, err)
		}
	}

	// A row that is missing is found.
	table := dynamo.New(a.db, rig.Stack.Table)
	rows, err := loggers.Rows(t.Context(), table)
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	expects, err := loggers.ReadOracle(a.expected)
	if err != nil {
		t.Fatal(err)
	}
	if got := loggers.Compare(ofSeries(rows, expects)[1:], expects); len(got.Wrong) != 1 {
		t.Errorf("without one row: %q", got.Wrong)
	}
}

// ofDevice writes the rows of a device to another file, and returns its path.
func ofDevice(t *testing.T, path, device string) string {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(unzipped).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	zipped := gzip.NewWriter(out)
	w := csv.NewWriter(zipped)
	for i, row := range rows {
		if i == 0 || strings.Contains(strings.Join(row, " ")+" ", " "+device+" ") {
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Flush()
	if err := errors.Join(w.Error(), zipped.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	return to
}
