package target

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
)

// stackOutputs is CloudFormation with one stack.
func stackOutputs(t *testing.T, outputs map[string]string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>")
		for name, value := range outputs {
			fmt.Fprintf(w, "<member><OutputKey>%s</OutputKey><OutputValue>%s</OutputValue></member>", name, value)
		}
		fmt.Fprint(w, "</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>")
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
	} {
		t.Setenv(name, value)
	}
}

// A stack that is named has precedence over all that the environment says about another table.
func TestUseStack_WorksOnNothingButTheStack(t *testing.T) {
	stackOutputs(t, map[string]string{"TableName": "table-7", "ApiUrl": "https://abc.example",
		"LinkSecretArn": "arn:7"})
	t.Setenv("TIDEMARK_ENDPOINT", "http://127.0.0.1:8000")
	t.Setenv("TIDEMARK_TABLE", "another")
	t.Setenv("TIDEMARK_URL", "http://127.0.0.1:9000")
	var to Target
	if err := to.UseStack(t.Context(), "tidemark-prod"); err != nil {
		t.Fatal(err)
	}
	if to.Endpoint != "" || to.Table != "table-7" || to.URL != "https://abc.example" ||
		to.Stack.LinkSecret != "arn:7" {
		t.Errorf("got %+v, want the outputs of the stack", to)
	}
}

// OpenTable, which every command calls after UseStack, resolves the environment again.
func TestUseStack_IsNotUndoneByResolve(t *testing.T) {
	stackOutputs(t, map[string]string{"TableName": "table-7", "ApiUrl": "https://abc.example"})
	t.Setenv("TIDEMARK_ENDPOINT", "http://127.0.0.1:8000")
	var to Target
	if err := to.UseStack(t.Context(), "tidemark-prod"); err != nil {
		t.Fatal(err)
	}
	if to.Resolve(); to.Endpoint != "" || to.Table != "table-7" {
		t.Errorf("works on table %q at %q, want table-7 in AWS", to.Table, to.Endpoint)
	}
}

func TestUseStack_WithoutANameChangesNothing(t *testing.T) {
	to := Target{Endpoint: "http://127.0.0.1:8000", Table: "mine"}
	before := to
	if err := to.UseStack(t.Context(), ""); err != nil || to != before {
		t.Errorf("got %+v, %v; want %+v", to, err, before)
	}
}

// A URL that is set alone chooses the dev that serves it, with its table; a table that is set alone is one
// in AWS.
func TestResolve_FindsTheDevThatServesTheURL(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"TIDEMARK_ENDPOINT", "TIDEMARK_TABLE", "TIDEMARK_URL", "TIDEMARK_CONFIG",
		"AWS_REGION"} {
		t.Setenv(name, "")
	}
	dev := devfile.Dev{Endpoint: "http://127.0.0.1:1", Table: "dev-1", ID: "run-1"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(devfile.IDHeader, dev.ID)
		json.NewEncoder(w).Encode(dev)
	}))
	defer server.Close()
	for _, c := range []struct{ name, url, endpoint, table, wantEndpoint, wantTable string }{
		{"the URL alone", server.URL, "", "", dev.Endpoint, dev.Table},
		{"another endpoint", server.URL, "http://127.0.0.1:2", "", "http://127.0.0.1:2", defaultTable},
		{"another table", server.URL, "", "mine", "", "mine"},
		{"no dev at the URL", "http://127.0.0.1:1", "", "", "", defaultTable},
		{"no dev anywhere", "", "", "", "", defaultTable},
	} {
		to := Target{URL: c.url, Endpoint: c.endpoint, Table: c.table}
		if to.Resolve(); to.Endpoint != c.wantEndpoint || to.Table != c.wantTable {
			t.Errorf("%s: table %s at %q, want %s at %q", c.name, to.Table, to.Endpoint, c.wantTable, c.wantEndpoint)
		}
	}
	remove, err := devfile.Dev{URL: server.URL, Endpoint: dev.Endpoint, Table: dev.Table,
		ID: dev.ID}.Write(devfile.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	for _, to := range []Target{{}, {Endpoint: dev.Endpoint}, {URL: server.URL}} {
		if to.Resolve(); to.Endpoint != dev.Endpoint || to.Table != dev.Table || to.URL != server.URL {
			t.Errorf("got %+v, want the dev that runs here", to)
		}
	}
	to := Target{Table: "tidemark-prod"}
	if to.Resolve(); to.Endpoint != "" || to.Table != "tidemark-prod" {
		t.Errorf("got %+v, want tidemark-prod in AWS", to)
	}
}

// A function has a deadline of its own. A command would wait for a server that never responds.
func TestClient_BoundsEachRequest(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for _, to := range []*Target{{Endpoint: "http://127.0.0.1:1"}, {Region: "eu-west-1"}} {
		client, err := to.client(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		bounded, ok := client.Options().HTTPClient.(*awshttp.BuildableClient)
		if !ok || bounded.GetTimeout() != replay.Timeout {
			t.Errorf("endpoint %q: requests to the table have no bound", to.Endpoint)
		}
	}
}
