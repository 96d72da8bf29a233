// Package httpapi defines the HTTP API: its routes, the decoding of requests, responses and problems. It has
// no AWS types: package httpevent converts the payloads of each gateway to a Request and from a Response.
// What readers get is in package views.
package httpapi
