package telemetry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Counts are the metric values of one invocation. A zero is not published, because CloudWatch bills a metric
// for each hour in which it has a value; but for a metric whose alarm goes off when data is missing. It is
// not safe for concurrent use.
type Counts map[Metric]float64

// Emitter writes metrics in CloudWatch Embedded Metric Format. It is safe for concurrent
// use if Out is: each Emit is one Write of one line.
type Emitter struct {
	Out       io.Writer         // a function's standard output
	Namespace string            // "" means DefaultNamespace
	Now       func() model.Time // the time of each line
	// Lean publishes only the metrics that have an alarm. The other values are in the line nevertheless, where
	// a query of the log finds them.
	Lean bool
}

// DefaultNamespace is the CloudWatch namespace of all metrics.
const DefaultNamespace = "Tidemark"

// ErrMetric is returned for a metric that is not in the catalogue and for a value that is not finite.
var ErrMetric = errors.New("cannot be published")

// Emit writes counts as one line. function is the deployed function's name, which
// distinguishes the stages of one account. kind is the kind that the counts belong to, "" for several
// kinds or none; it is a member of the line and no dimension. Without a value to publish nothing is written.
func (e *Emitter) Emit(function, kind string, counts Counts) error {
	all, err := counts.definitions()
	if err != nil {
		return fmt.Errorf("emit metrics of %s: %w", function, err)
	}
	if len(all) == 0 {
		return nil
	}
	line, err := json.Marshal(e.document(function, kind, counts, all))
	if err != nil {
		return fmt.Errorf("emit metrics of %s: %w", function, err)
	}
	if _, err := e.Out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("emit metrics of %s: %w", function, err)
	}
	return nil
}

// EmitOrLog is Emit for a function whose response does not depend on metrics: an error is logged.
func (e *Emitter) EmitOrLog(log *slog.Logger, function, kind string, counts Counts) {
	if err := e.Emit(function, kind, counts); err != nil {
		log.Error("metrics not written", FieldError, err.Error())
	}
}

// definitions returns the catalogue rows of the values in c that are written, in the catalogue's order.
func (c Counts) definitions() ([]Definition, error) {
	for m, value := range c {
		if _, ok := m.Definition(); !ok {
			return nil, fmt.Errorf("%q %w: it is not in the catalogue", m, ErrMetric)
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("%s %w: %v is not a finite number", m, ErrMetric, value)
		}
	}
	return slices.DeleteFunc(Catalogue(), func(d Definition) bool {
		value, counted := c[d.Metric]
		return !counted || value == 0 && !d.alwaysPublished()
	}), nil
}

// alwaysPublished reports whether the absence of a value would set off the metric's alarm.
func (d Definition) alwaysPublished() bool { return d.Alarm != nil && d.Alarm.Silence }

// The _aws member of a line, which says which of the other members are metrics.
type metadata struct {
	Timestamp         int64 // epoch milliseconds
	CloudWatchMetrics []directive
}

type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []metricName
}

type metricName struct {
	Name string
	Unit Unit
}

// document builds a line: the _aws member, and one member for each dimension and each value.
func (e *Emitter) document(function, kind string, counts Counts, all []Definition) map[string]any {
	doc := map[string]any{DimensionFunction: function}
	if kind != "" {
		doc["Kind"] = kind
	}
	published := directive{
		Namespace:  cmp.Or(e.Namespace, DefaultNamespace),
		Dimensions: [][]string{{DimensionFunction}},
	}
	for _, d := range all {
		doc[string(d.Metric)] = counts[d.Metric]
		if d.Alarm != nil || !e.Lean {
			published.Metrics = append(published.Metrics, metricName{Name: string(d.Metric), Unit: d.Unit})
		}
	}
	if len(published.Metrics) > 0 {
		doc["_aws"] = metadata{Timestamp: int64(e.Now()), CloudWatchMetrics: []directive{published}}
	}
	return doc
}
