// Package api holds the description of the HTTP API against the API: every operation of
// /openapi.json is run on the whole stack as its examples say, and what comes back must
// be of the shape that is described.
package api
