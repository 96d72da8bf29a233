package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

const originSecret = "a long random text of the stage"

func sampleView(t *testing.T, name string) []byte {
	t.Helper()
	payload, err := os.ReadFile(collectSamples + "/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// withHeader returns a request of the HTTP API with one more header.
func withHeader(t *testing.T, payload []byte, name, value string) json.RawMessage {
	t.Helper()
	var r events.APIGatewayV2HTTPRequest
	err := json.Unmarshal(payload, &r)
	if err != nil {
		t.Fatal(err)
	}
	r.Headers[strings.ToLower(name)] = value
	if payload, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return payload
}

// Behind a website's own proxy, a visitor is who the proxy has named last.
func TestCollector_CountsVisitorsBehindATrustedProxy(t *testing.T) {
	const proxy = "192.0.2.44" // of the sample
	for name, c := range map[string]struct {
		trust     config.Trust
		secret    string
		forwarded []string
		visitors  int
	}{
		"named by the proxy":        {config.TrustProxy, originSecret, []string{"198.51.100.1", "198.51.100.2"}, 2},
		"and by the gateway":        {config.TrustProxy, originSecret, []string{"198.51.100.1, " + proxy, "198.51.100.1"}, 1},
		"forged by the browser":     {config.TrustProxy, originSecret, []string{"10.0.0.1, 198.51.100.1", "10.0.0.2, 198.51.100.1"}, 1},
		"not an address":            {config.TrustProxy, originSecret, []string{"unknown", "hidden"}, 1},
		"without the secret":        {config.TrustProxy, "", []string{"198.51.100.1", "198.51.100.2"}, 1},
		"of a site without a proxy": {config.TrustCloudFront, originSecret, []string{"198.51.100.1", "198.51.100.2"}, 1},
		"by interfaces of the proxy": {
			config.TrustProxy, originSecret, []string{"fe80::1%eth0", "[fe80::1%eth1]:443", "fe80::1"}, 1,
		},
	} {
		f := newCollector(t, func(conf *config.Config) { conf.Collector.Trust = c.trust }, nil)
		f.collector.OriginSecrets = secret.Fixed([]byte(originSecret))
		for _, forwarded := range c.forwarded {
			payload := withHeader(t, sampleView(t, "view"), "X-Forwarded-For", forwarded)
			payload = withHeader(t, payload, "X-Tidemark-Origin", c.secret)
			if _, err := f.handle(invocation(t, name), payload); err != nil {
				t.Fatal(err)
			}
		}
		visitors := map[string]bool{}
		for _, e := range f.views(t) {
			v, _ := e.Attrs.Get(webfield.Visitor)
			visitors[v.Text] = true
		}
		if len(visitors) != c.visitors {
			t.Errorf("%s: %d visitors, want %d", name, len(visitors), c.visitors)
		}
	}
}

// Headers that anyone can send make neither visitors nor countries: 100 forged ones are one
// visitor without a country. With the secret of the origin they count.
func TestCollector_TrustsHeadersOnlyFromItsOrigin(t *testing.T) {
	for _, c := range []struct {
		name             string
		secrets          []string
		sent             string
		visitors, origin int
	}{
		{"no origin is trusted", nil, "", 1, 0},
		{"no origin is trusted, with a secret", nil, originSecret, 1, 0},
		{"without the secret", []string{originSecret}, "", 1, 0},
		{"with another secret", []string{originSecret}, originSecret + "x", 1, 0},
		{"with the secret", []string{originSecret}, originSecret, 100, 100},
		{"with the older of two secrets", []string{"the new one is first here", originSecret}, originSecret, 100, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newCollector(t, nil, nil)
			texts := lists.Map(c.secrets, func(text string) []byte { return []byte(text) })
			f.collector.OriginSecrets = secret.Fixed(texts...)
			for i := range 100 {
				request := withHeader(t, sampleView(t, "view-behind-cloudfront"), "CloudFront-Viewer-Country", "ZZ")
				request = withHeader(t, request, "CloudFront-Viewer-Address", fmt.Sprintf("203.0.113.%d:443", i))
				if c.sent != "" {
					request = withHeader(t, request, "X-Tidemark-Origin", c.sent)
				}
				if _, err := f.handle(invocation(t, fmt.Sprint(i)), request); err != nil {
					t.Fatal(err)
				}
			}
			visitors, countries := map[string]bool{}, 0
			for _, e := range f.views(t) {
				v, _ := e.Attrs.Get(webfield.Visitor)
				visitors[v.Text] = true
				if _, ok := e.Attrs.Get(webfield.Country); ok {
					countries++
				}
			}
			if len(visitors) != c.visitors || countries != c.origin {
				t.Errorf("%d visitors, %d with a country; want %d and %d", len(visitors), countries, c.visitors, c.origin)
			}
		})
	}
}

// A region is stored if the configuration asks for it and the distribution is trusted: both, not one of them.
func TestCollector_StoresRegionsOnlyOnRequestFromItsOrigin(t *testing.T) {
	for _, c := range []struct {
		name    string
		regions bool
		sent    string
		want    string
	}{
		{"on request, with the secret", true, originSecret, "FI-18"},
		{"on request, without the secret", true, "", ""},
		{"on request, with another secret", true, originSecret + "x", ""},
		{"by default, with the secret", false, originSecret, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newCollector(t, func(conf *config.Config) { conf.Collector.Regions = c.regions }, nil)
			f.collector.OriginSecrets = secret.Fixed([]byte(originSecret))
			request := withHeader(t, sampleView(t, "view-behind-cloudfront"), "CloudFront-Viewer-Country-Region", "18")
			if _, err := f.handle(invocation(t, "1"),
				withHeader(t, request, "X-Tidemark-Origin", c.sent)); err != nil {
				t.Fatal(err)
			}
			all := f.views(t)
			if len(all) != 1 {
				t.Fatalf("%d views are stored, want 1", len(all))
			}
			if got, _ := all[0].Attrs.Get(webfield.Region); got.Text != c.want {
				t.Errorf("the view has the region %q, want %q", got.Text, c.want)
			}
		})
	}
}

// A visitor is counted once however the address is written, and apart from others behind the same edge of
// CloudFront. CloudFront writes IPv6 addresses without brackets.
func TestCollector_CountsAnAddressOnceInAnyForm(t *testing.T) {
	visitors := func(header string, forms ...string) map[string]bool {
		f := newCollector(t, nil, nil)
		f.collector.OriginSecrets = secret.Fixed([]byte(originSecret))
		for i, form := range forms {
			request := withHeader(t, sampleView(t, "view-behind-cloudfront"), "X-Tidemark-Origin", originSecret)
			if header == "" {
				request = withSource(t, sampleView(t, "view-behind-cloudfront"), form)
			} else {
				request = withHeader(t, request, header, form)
			}
			if _, err := f.handle(invocation(t, fmt.Sprint(i)), request); err != nil {
				t.Fatal(err)
			}
		}
		all := map[string]bool{}
		for _, e := range f.views(t) {
			v, _ := e.Attrs.Get(webfield.Visitor)
			all[v.Text] = true
		}
		return all
	}
	const sent = "CloudFront-Viewer-Address"
	for _, c := range []struct {
		header string
		forms  []string
		want   int
	}{
		{sent, []string{"2001:db8::7:44321", "[2001:db8::7]:443", "2001:0DB8:0:0:0:0:0:7:1", "2001:0db8:0000:0000:0000:0000:0000:0007:65535"}, 1},
		{sent, []string{"198.51.100.7:44321", "::ffff:198.51.100.7:443", "[::ffff:c633:6407]:443"}, 1},
		{sent, []string{"2001:db8::7:443", "2001:db8::8:443", "2001:db8::7:1:443", "198.51.100.7:443"}, 4},
		{sent, []string{"", "unknown", ":443", "unknown:443", "2001:db8:0:0:0:0:0:7"}, 1}, // no address: the connection's
		{"", []string{"2001:db8::7", "2001:DB8:0::7"}, 1},
		{"", []string{"198.51.100.7", "198.51.100.8"}, 2},
	} {
		if got := visitors(c.header, c.forms...); len(got) != c.want {
			t.Errorf("%v: %d visitors, want %d", c.forms, len(got), c.want)
		}
	}
}

// withSource returns a request from an address.
func withSource(t *testing.T, payload []byte, address string) []byte {
	t.Helper()
	var r events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(payload, &r); err != nil {
		t.Fatal(err)
	}
	r.RequestContext.HTTP.SourceIP = address
	payload, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

func TestOriginSecrets_AreReadOnlyIfAnOriginIsTrusted(t *testing.T) {
	for _, c := range []struct {
		trust config.Trust
		env   map[string]string
		value string
		want  int
		err   bool
	}{
		{config.TrustNone, nil, "", 0, false},
		{config.TrustNone, map[string]string{config.EnvOriginSecret: "arn"}, "alongrandomtextofthestage", 1, false}, // a stage with a distribution
		{config.TrustCloudFront, map[string]string{config.EnvEndpoint: "http://localhost"}, originSecret, 0, false},
		{config.TrustCloudFront, map[string]string{config.EnvOriginSecret: "arn"}, "alongrandomtextofthestage anotherlongrandomtext", 2, false},
		{config.TrustCloudFront, map[string]string{config.EnvOriginSecret: "arn"}, "short", 0, true},
		{config.TrustCloudFront, map[string]string{config.EnvOriginSecret: "arn"}, "", 0, true},
		{config.TrustCloudFront, nil, originSecret, 0, true},
	} {
		conf := config.Default(domains.Kinds()...)
		conf.Collector.Trust = c.trust
		got, err := originSecrets(t.Context(), conf, func(name string) string {
			return c.env[name]
		}, func(context.Context, string) (string, error) { return c.value, nil })
		if len(got) != c.want || (err != nil) != c.err {
			t.Errorf("%+v: %d secrets, %v", c, len(got), err)
		}
	}
}

// awsWords is a table that does not exist, in AWS's words.
type awsWords struct{ *memory.Table }

func (awsWords) PutRotatingSecret(context.Context,
	storage.RotatingSecret) (storage.WriteResult, storage.RotatingSecret, error) {
	return 0, storage.RotatingSecret{},
		errors.New("operation error DynamoDB: PutItem, ResourceNotFoundException: Requested resource not found: Table: tidemark-prod-Table")
}

func TestCollector_NeverShowsTheWordsOfAWS(t *testing.T) {
	f := newCollector(t, nil, func(m *memory.Table) store { return awsWords{m} })
	response, err := f.collect(t, "view")
	if err != nil || response.StatusCode != 503 {
		t.Errorf("%d %s, %v; want 503", response.StatusCode, response.Body, err)
	}
	for _, word := range []string{"DynamoDB", "ResourceNotFound", "tidemark-prod"} {
		if strings.Contains(response.Body, word) {
			t.Errorf("the response describes the table: %s", response.Body)
		}
	}
	if !strings.Contains(f.out.String(), "ResourceNotFoundException") {
		t.Errorf("the log does not name the cause: %s", f.out)
	}
}
