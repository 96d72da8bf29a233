// Package api tests the HTTP API against its OpenAPI description: every operation of
// /openapi.json is run with its examples on a local stack, and each response must match the
// described schema.
package api
