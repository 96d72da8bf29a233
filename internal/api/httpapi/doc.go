// Package httpapi defines the HTTP API: its routes, the decoding of requests, and the JSON, NDJSON, CSV and
// problem responses. It has no AWS types: package envelope converts the payloads of each gateway to a Request
// and from a Response. The CLI prints the same formats.
package httpapi
