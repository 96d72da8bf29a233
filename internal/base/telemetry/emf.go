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

// Counts are the metric values of one invocation. A metric that is absent is not published;
// one that is zero is. It is not safe for concurrent use.
type Counts map[Metric]float64

// Emitter writes metrics in CloudWatch Embedded Metric Format. It is safe for concurrent
// use if Out is: each Emit is one Write of one line.
type Emitter struct {
	Out       io.Writer         // a function's standard output
	Namespace string            // "" means DefaultNamespace
	Now       func() model.Time // the time of each line
}

// DefaultNamespace is the CloudWatch namespace of all metrics.
const DefaultNamespace = "Tidemark"

// ErrMetric is returned for a metric that is not in the catalogue and for a value that is not finite.
var ErrMetric = errors.New("cannot be published")

// Emit writes counts as one line. function is the deployed function's name, which
// distinguishes the stages of one account. kind is the kind that the counts belong to, "" for several
// kinds or none. Empty counts write nothing.
func (e *Emitter) Emit(function, kind string, counts Counts) error {
	if len(counts) == 0 {
		return nil
	}
	all, err := counts.definitions()
	if err != nil {
		return fmt.Errorf("emit metrics of %s: %w", function, err)
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

// definitions returns the catalogue rows of the metrics in c, in the catalogue's order.
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
		_, counted := c[d.Metric]
		return !counted
	}), nil
}

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
// Every metric is published by function, and a ByKind metric also by function and kind.
func (e *Emitter) document(function, kind string, counts Counts, all []Definition) map[string]any {
	doc := map[string]any{DimensionFunction: function}
	byFunction := e.directive(DimensionFunction)
	byKind := e.directive(DimensionFunction, DimensionKind)
	for _, d := range all {
		doc[string(d.Metric)] = counts[d.Metric]
		byFunction.Metrics = append(byFunction.Metrics, metricName{Name: string(d.Metric), Unit: d.Unit})
		if d.ByKind {
			byKind.Metrics = append(byKind.Metrics, metricName{Name: string(d.Metric), Unit: d.Unit})
		}
	}
	meta := metadata{Timestamp: int64(e.Now()), CloudWatchMetrics: []directive{byFunction}}
	if kind != "" {
		doc[DimensionKind] = kind
		if len(byKind.Metrics) > 0 {
			meta.CloudWatchMetrics = append(meta.CloudWatchMetrics, byKind)
		}
	}
	doc["_aws"] = meta
	return doc
}

func (e *Emitter) directive(dimensions ...string) directive {
	return directive{Namespace: cmp.Or(e.Namespace, DefaultNamespace), Dimensions: [][]string{dimensions}}
}
