// Package telemetry is what Tidemark says of itself: a catalogue of metrics as data,
// an emitter that writes them as CloudWatch Embedded Metric Format, and the names of
// the fields in its logs.
//
// A metric is a constant of this package, never a string: what is counted is in the
// catalogue with its unit, its sentence and its alarm, and the infrastructure draws
// alarms and dashboard from the same rows. Counting costs no request: one line an
// invocation goes to standard output, and CloudWatch Logs takes the numbers from it.
package telemetry
