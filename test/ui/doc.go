// Package ui tests the pages of Tidemark in Chromium, and the requests of Grafana's data source,
// against a local stack with readings of real loggers. It writes a picture of each page to
// build/screens.
package ui
