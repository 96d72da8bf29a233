package deployment

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

var credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "secret"}, nil
})

func TestHTTPClient_SignsRequestsToAPIGatewayOnly(t *testing.T) {
	for address, want := range map[string]bool{
		"https://abc.execute-api.eu-central-1.amazonaws.com":       true,
		"https://abc.execute-api.cn-north-1.amazonaws.com.cn/v1":   true,
		"http://127.0.0.1:8080":                                    false,
		"https://execute-api.eu-central-1.amazonaws.com.evil.test": false,
		"https://tidemark.example.com":                             false,
	} {
		called := false
		client, err := HTTPClient(address, "", time.Minute, func() (aws.Config, error) {
			called = true
			return aws.Config{Credentials: credentials}, nil
		})
		_, signs := client.Transport.(roundTrip)
		if err != nil || signs != want || called != want {
			t.Errorf("%s: %v, signed %t, credentials read %t; want %t", address, err, signs, called, want)
		}
	}
}

func TestHTTPClient_SendsTheToken(t *testing.T) {
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("Authorization")
	}))
	defer server.Close()
	client, err := HTTPClient(server.URL, "secret", time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Get(server.URL); err != nil || sent != "Bearer secret" {
		t.Errorf("%v, sent %q; want the token", err, sent)
	}
}

// The token and signatures are for the API, not for the server that it redirects to.
func TestHTTPClient_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server gets %s with Authorization %q", r.Method, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	client, err := HTTPClient(server.URL, "secret", time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Post(server.URL, "application/json", strings.NewReader("{}"))
	if err != nil || resp.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("%v, %v; want the redirect itself", resp, err)
	}
}

func TestSigned_SignsTheBodyAndSendsAllOfIt(t *testing.T) {
	var header http.Header
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	client := &http.Client{Transport: signed(http.DefaultTransport, credentials, "eu-central-1")}
	if _, err := client.Post(server.URL, "application/json", strings.NewReader(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	if got := header.Get("Authorization"); !strings.Contains(got, "Credential=AKID/") ||
		!strings.Contains(got, "/eu-central-1/execute-api/aws4_request") {
		t.Errorf("signed as %q", got)
	}
	if string(body) != `{"a":1}` {
		t.Errorf("sent %q", body)
	}
}
