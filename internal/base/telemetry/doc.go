// Package telemetry defines Tidemark's metrics and log fields: a catalogue of metrics as data, an emitter
// that writes them in CloudWatch Embedded Metric Format (EMF), and the names of the log fields.
//
// A metric is a constant of this package, never a string. Its row in the catalogue has its unit, a sentence
// and its alarm, and infra builds the alarms and the dashboard from the same rows. Publishing costs no
// request: each invocation writes one line to standard output, and CloudWatch Logs extracts the numbers.
package telemetry
