package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
)

func TestDoorClient_AsksForCredentialsOnlyWhereTheyAreWanted(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	for address, wanted := range map[string]bool{
		"https://abc.execute-api.eu-central-1.amazonaws.com":       true,
		"https://abc.execute-api.cn-north-1.amazonaws.com.cn/v1":   true,
		"http://127.0.0.1:8080":                                    false,
		"https://execute-api.eu-central-1.amazonaws.com.evil.test": false,
		"https://tidemark.example.com":                             false,
	} {
		client, err := doorClient(t.Context(), &connection{}, address)
		if err != nil || (client.Transport != nil) != wanted {
			t.Errorf("%s: %v, signed %t; want %t", address, err, client.Transport != nil, wanted)
		}
	}
}

func TestDoorClient_ShowsTheTokenOfTheEnvironment(t *testing.T) {
	t.Setenv(envToken, "secret")
	var shown string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown = r.Header.Get("Authorization") }))
	defer server.Close()
	client, err := doorClient(t.Context(), &connection{}, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Get(server.URL); err != nil || shown != "Bearer secret" {
		t.Errorf("%v, showed %q; want the token", err, shown)
	}
}

func TestSigned_SignsTheBodyAndSendsItWhole(t *testing.T) {
	var header http.Header
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	who := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "secret"}, nil
	})
	client := &http.Client{Transport: signed(who, "eu-central-1")}
	if _, err := client.Post(server.URL, "application/json", strings.NewReader(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	if got := header.Get("Authorization"); !strings.Contains(got, "Credential=AKID/") || !strings.Contains(got, "/eu-central-1/execute-api/aws4_request") {
		t.Errorf("signed as %q", got)
	}
	if string(body) != `{"a":1}` {
		t.Errorf("sent %q", body)
	}
}
