package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// envToken is the token that callers of an API with tokens show.
const envToken = "TIDEMARK_TOKEN"

// apiHost is the host of an API as AWS names it, and its region.
var apiHost = regexp.MustCompile(`\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$`)

// doorClient is what the front at address is called with: the token of the environment
// where there is one, else requests to AWS are signed by its credentials. A front on
// this machine asks for neither.
func doorClient(ctx context.Context, to *connection, address string) (*http.Client, error) {
	client := &http.Client{Timeout: answerWithin}
	at, err := url.Parse(address)
	if err != nil {
		return nil, usagef("--url: %w", err)
	}
	if token := os.Getenv(envToken); token != "" {
		client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+token)
			return http.DefaultTransport.RoundTrip(r)
		})
		return client, nil
	}
	host := apiHost.FindStringSubmatch(at.Hostname())
	if host == nil {
		return client, nil
	}
	read, err := awsConfig(ctx, &connection{region: to.region})
	if err != nil {
		return nil, err
	}
	client.Transport = signed(read.Credentials, host[1])
	return client, nil
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// signed signs each request as API Gateway asks for, and never the one it was given.
func signed(credentials aws.CredentialsProvider, region string) http.RoundTripper {
	signer := v4.NewSigner()
	return roundTrip(func(given *http.Request) (*http.Response, error) {
		r := given.Clone(given.Context())
		body := []byte{}
		if given.Body != nil {
			var err error
			if body, err = io.ReadAll(given.Body); err != nil {
				return nil, err
			}
			given.Body.Close()
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		who, err := credentials.Retrieve(r.Context())
		if err != nil {
			return nil, err
		}
		digest := sha256.Sum256(body)
		if err := signer.SignHTTP(r.Context(), who, r, hex.EncodeToString(digest[:]), "execute-api", region, time.Now()); err != nil {
			return nil, err
		}
		return http.DefaultTransport.RoundTrip(r)
	})
}
