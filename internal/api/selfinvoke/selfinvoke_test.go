package selfinvoke

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/awsenv"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

const self = "arn:aws:lambda:eu-central-1:123456789012:function:tidemark-prod-aggregate"

func credentials(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		t.Setenv(name, "test")
	}
}

func getenv(all map[string]string) func(string) string {
	return func(name string) string { return all[name] }
}

// The address has the Region and the partition of the ARN. Roles of a stage with canaries allow its alias
// only.
func TestFromEnv_HasTheAddressOfTheFunction(t *testing.T) {
	const path = "/2015-03-31/functions/tidemark-prod-aggregate/invocations"
	for name, want := range map[string]string{
		self:           "https://lambda.eu-central-1.amazonaws.com" + path,
		self + ":live": "https://lambda.eu-central-1.amazonaws.com" + path + "?Qualifier=live",
		"arn:aws-cn:lambda:cn-north-1:1:function:tidemark-prod-aggregate": "https://lambda.cn-north-1." +
			"amazonaws.com.cn" + path,
		"arn:aws-us-gov:lambda:us-gov-west-1:1:function:tidemark-prod-aggregate": "https://lambda." +
			"us-gov-west-1.amazonaws.com" + path,
	} {
		f, err := FromEnv(t.Context(), getenv(map[string]string{config.EnvSelf: name}))
		if err != nil || f.address != want {
			t.Errorf("%s: %v, %v; want %s", name, f, err, want)
		}
	}
	if f, err := FromEnv(t.Context(), getenv(nil)); f != nil || err != nil {
		t.Errorf("without a name: %v, %v; want neither", f, err)
	}
	if _, err := FromEnv(t.Context(), getenv(map[string]string{config.EnvSelf: "aggregate"})); err == nil {
		t.Error("no error for a name that is no ARN")
	}
}

func TestInvokeEvent_SendsOneSignedRequest(t *testing.T) {
	credentials(t)
	var got []*http.Request
	var body string
	status := http.StatusAccepted
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = append(got, r), string(text)
		w.Header().Set("X-Amzn-Errortype", "TooManyRequestsException")
		w.WriteHeader(status)
	}))
	defer server.Close()
	f, err := FromEnv(t.Context(), getenv(map[string]string{
		config.EnvSelf: self + ":live", EnvEndpoint: server.URL,
	}))
	if err != nil {
		t.Fatal(err)
	}
	const trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Lineage=a:0"
	//lint:ignore SA1029 it is the key of aws-lambda-go
	ctx := context.WithValue(t.Context(), "x-amzn-trace-id", trace)
	if err := f.InvokeEvent(ctx, []byte(`{"detail-type":"x"}`)); err != nil || len(got) != 1 {
		t.Fatalf("%v, %d requests; want one", err, len(got))
	}
	r := got[0]
	const path = "/2015-03-31/functions/tidemark-prod-aggregate/invocations?Qualifier=live"
	if r.Method != http.MethodPost || r.URL.String() != path || body != `{"detail-type":"x"}` {
		t.Errorf("sent %s %s %s", r.Method, r.URL, body)
	}
	if r.Header.Get("X-Amz-Invocation-Type") != "Event" || r.Header.Get("X-Amzn-Trace-Id") != trace ||
		r.Header.Get("X-Amz-Security-Token") != "test" ||
		!strings.Contains(r.Header.Get("Authorization"), "/eu-central-1/lambda/aws4_request") {
		t.Errorf("headers %v", r.Header)
	}
	status = http.StatusTooManyRequests
	err = f.InvokeEvent(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "TooManyRequests") || len(got) != 2 {
		t.Errorf("%v after %d requests; want the error of Lambda after one", err, len(got)-1)
	}
}

func TestInvokeEvent_EndsWithItsContextAndWithoutCredentials(t *testing.T) {
	credentials(t)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	env := getenv(map[string]string{config.EnvSelf: self, EnvEndpoint: server.URL})
	f, err := FromEnv(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := f.InvokeEvent(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the end of the context", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if f, err = FromEnv(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	if err := f.InvokeEvent(t.Context(), nil); !errors.Is(err, awsenv.ErrNoCredentials) {
		t.Errorf("%v, want %v", err, awsenv.ErrNoCredentials)
	}
}
