package deployment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// apiHost matches the host of an API Gateway API and captures its region.
var apiHost = regexp.MustCompile(`\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$`)

// idleConnections is how many connections to keep between requests: more than an import has lanes.
const idleConnections = 64

// HTTPClient returns a client for the API at address. With a token it sends that. Without
// one it signs requests to API Gateway with the credentials of config, which is called
// only then. Any other address, such as one on this machine, needs neither. It follows no redirect: a POST
// would become a GET, and the token or signature would be sent to another host.
func HTTPClient(address, token string, timeout time.Duration,
	config func() (aws.Config, error)) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConnections
	client := &http.Client{Timeout: timeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, usererr.Errorf("the URL of the HTTP API is %q: want one that begins with http:// or "+
			"https://, such as http://localhost:8080", address)
	}
	if token != "" {
		client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+token)
			return transport.RoundTrip(r)
		})
		return client, nil
	}
	host := apiHost.FindStringSubmatch(at.Hostname())
	if host == nil {
		return client, nil
	}
	cfg, err := config()
	if err != nil {
		return nil, err
	}
	client.Transport = signed(transport, cfg.Credentials, host[1])
	return client, nil
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// signed signs a copy of each request with Signature Version 4, as API Gateway requires.
func signed(transport http.RoundTripper, credentials aws.CredentialsProvider,
	region string) http.RoundTripper {
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
		signAs, err := credentials.Retrieve(r.Context())
		if err != nil {
			return nil, fmt.Errorf("sign the request: %w", err)
		}
		digest := sha256.Sum256(body)
		if err := signer.SignHTTP(r.Context(), signAs, r, hex.EncodeToString(digest[:]), "execute-api", region,
			time.Now()); err != nil {
			return nil, fmt.Errorf("sign the request: %w", err)
		}
		return transport.RoundTrip(r)
	})
}
