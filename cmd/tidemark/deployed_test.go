package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// fakeAWS answers as CloudFormation and Lambda do of one stack, whose functions run by the
// given configuration; "" leaves it out of their code.
func fakeAWS(t *testing.T, outputs, configuration string) {
	t.Helper()
	var code bytes.Buffer
	archive := zip.NewWriter(&code)
	for name, text := range map[string]string{"bootstrap": "binary", "tidemark.yaml": configuration} {
		if text == "" {
			continue
		}
		file, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(file, text)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("GET /code", func(w http.ResponseWriter, r *http.Request) { w.Write(code.Bytes()) })
	mux.HandleFunc("GET /2015-03-31/functions/tidemark-test-ingest", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"Code":{"Location":"%s/code"}}`, server.URL)
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>%s</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`, outputs)
	})
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	} {
		t.Setenv(name, value)
	}
}

func output(name, value string) string {
	return "<member><OutputKey>" + name + "</OutputKey><OutputValue>" + value + "</OutputValue></member>"
}

// tidemark runs a command line in this process.
func tidemark(t *testing.T, args ...string) (status int, out, complaint string) {
	t.Helper()
	var stdout, stderr strings.Builder
	status = run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestConfigCheck_AgainstWhatTheDeployedFunctionsRunBy(t *testing.T) {
	t.Chdir(t.TempDir())
	fakeAWS(t, "", "mapping: {window: 30s}\n")
	status, out, complaint := tidemark(t, "config", "check", "--against", "deployed", "--stack", "tidemark-test")
	if want := "safe: mapping.window: 30s to 5s: it takes effect when it is deployed\n1 changes: 1 safe, 0 need a rebuild, 0 refused\n"; status != exitDone || out != want {
		t.Errorf("status %d\n%s%s\nwant\n%s", status, out, complaint, want)
	}
}

func TestConfigCheck_SaysWhenTheCodeHasNoConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	fakeAWS(t, "", "")
	status, _, complaint := tidemark(t, "config", "check", "--against", "deployed", "--stack", "tidemark-test")
	if status != exitFailed || !strings.Contains(complaint, "has no tidemark.yaml") {
		t.Errorf("status %d, %s; want what is missing", status, complaint)
	}
}

func TestStack_IsFoundByItsOutputs(t *testing.T) {
	fakeAWS(t, output("TableName", "table-7")+output("ApiUrl", "https://abc.example")+output("Other", "x"), "")
	to := connection{endpoint: "http://127.0.0.1:1", table: "of dev"}
	if err := to.deployedTo(t.Context(), "tidemark-test"); err != nil {
		t.Fatal(err)
	}
	if to.table != "table-7" || to.url != "https://abc.example" || to.endpoint != "" {
		t.Errorf("%+v: want the stack's own, and nothing of this machine's", to)
	}
}

func TestStack_OfSomebodyElseIsSaid(t *testing.T) {
	fakeAWS(t, output("BucketName", "x"), "")
	if err := new(connection).deployedTo(t.Context(), "their-stack"); err == nil || !strings.Contains(err.Error(), "their-stack") {
		t.Errorf("%v: want the stack named", err)
	}
}
