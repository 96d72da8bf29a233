package deployment

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// fakeAWS is CloudFormation and Lambda with one stack, whose functions have the given
// configuration in their code; "" leaves the file out.
func fakeAWS(t *testing.T, outputs, configuration string) aws.Config {
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
	mux.HandleFunc("GET /2015-03-31/functions/tidemark-test-ingest",
		func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"Code":{"Location":"%s/code"}}`, server.URL)
		})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>%s</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`, outputs)
	})
	return aws.Config{Region: "eu-central-1", Credentials: credentials, BaseEndpoint: &server.URL}
}

func output(name, value string) string {
	return "<member><OutputKey>" + name + "</OutputKey><OutputValue>" + value + "</OutputValue></member>"
}

func TestConfigFile_ReturnsTheDeployedConfiguration(t *testing.T) {
	const want = "mapping: {window: 30s}\n"
	got, err := ConfigFile(t.Context(), fakeAWS(t, "", want), "tidemark-test")
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestConfigFile_ReportsThatTheCodeHasNoConfiguration(t *testing.T) {
	_, err := ConfigFile(t.Context(), fakeAWS(t, "", ""), "tidemark-test")
	if err == nil || !strings.Contains(err.Error(), "has no tidemark.yaml") {
		t.Errorf("got %v, want an error that names the missing file", err)
	}
}

func TestFind_ReadsTableAndURLFromTheOutputs(t *testing.T) {
	outputs := output("TableName", "table-7") + output("ApiUrl", "https://abc.example") + output("Other", "x") +
		output("SiteSecretArn", "arn:6") + output("LinkSecretArn", "arn:7") +
		output("OnFailureQueueUrl", "https://sqs/failed") + output("MappingId", "m-7")
	got, err := Find(t.Context(), fakeAWS(t, outputs, ""), "tidemark-test")
	want := Stack{Table: "table-7", URL: "https://abc.example", LinkSecret: "arn:7",
		OnFailureQueue: "https://sqs/failed", Mapping: "m-7"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestFind_RejectsAStackThatIsNotTidemarks(t *testing.T) {
	_, err := Find(t.Context(), fakeAWS(t, output("BucketName", "x"), ""), "their-stack")
	if err == nil || !strings.Contains(err.Error(), "their-stack") {
		t.Errorf("got %v, want an error that names the stack", err)
	}
}

func TestFind_ReportsAStackThatDoesNotExist(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack with id tidemark-test does not exist</Message></Error></ErrorResponse>`)
	}))
	t.Cleanup(server.Close)
	cfg := aws.Config{Region: "eu-central-1", Credentials: credentials, BaseEndpoint: &server.URL}
	if _, err := Find(t.Context(), cfg, "tidemark-test"); !errors.Is(err, ErrNoStack) {
		t.Errorf("%v, want %v", err, ErrNoStack)
	}
}
