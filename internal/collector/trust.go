package collector

import (
	"crypto/subtle"
	"net"

	"github.com/tidemark-db/tidemark/internal/httpapi"
)

// OriginHeader is the header in which a CloudFront distribution in front of the collector
// sends the secret of the stage. Anyone can send CloudFront's own headers to the API
// directly, so they say nothing without it.
const OriginHeader = "X-Tidemark-Origin"

// throughCloudFront reports whether the request came through the stage's own distribution.
func (c *Collector) throughCloudFront(r *httpapi.Request) bool {
	sent, ok := []byte(r.Header(OriginHeader)), false
	for _, secret := range c.OriginSecrets {
		ok = subtle.ConstantTimeCompare(sent, secret) == 1 || ok
	}
	return ok
}

// origin returns the browser's address and country: those that CloudFront has added, or the
// address that the API saw and no country.
func (c *Collector) origin(r *httpapi.Request) (address, country string) {
	if !c.throughCloudFront(r) {
		return r.SourceIP, ""
	}
	address = r.SourceIP
	if host, _, err := net.SplitHostPort(r.Header("CloudFront-Viewer-Address")); err == nil {
		address = host
	}
	return address, r.Header("CloudFront-Viewer-Country")
}
