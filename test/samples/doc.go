// Package samples runs every sample of events/ with the deployed binaries, and compares the
// result with its row in the README there.
package samples
