// Package samples executes every sample of events/ through the binary that deploys, and
// holds what comes of it against the line that the README there gives it.
package samples
