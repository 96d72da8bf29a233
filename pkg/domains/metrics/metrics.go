// Package metrics declares the metrics of hosts and services: the kind for points of senders
// that do not know this deployment, such as Telegraf, clients of InfluxDB and OpenTelemetry.
// tidemark.yaml may override it by name, and map points to other kinds.
package metrics

import (
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Metrics are the fields of one measurement of a host at one time. Senders split them into several points
// without ids, so points of one time are merged. They send nanoseconds, and the table keeps milliseconds. A
// host has many series with an event every few seconds, so an event is stored alone, for one write unit.
var Metrics = catalog.Kind{
	Name:        "METRIC",
	Path:        "metrics",
	Subject:     catalog.SubjectType{Name: "HOST", Path: "hosts", Field: "host"},
	Late:        catalog.KeepLate,
	IDs:         catalog.OptionalID,
	OnCollision: catalog.MergeCollision,
	FinerTime:   model.TruncateFinerTime,
	Latest:      catalog.DerivedLatest,
}

// Kinds are the domain's rows, in the order they are listed to people.
func Kinds() []catalog.Kind { return []catalog.Kind{Metrics} }
