// Package iot is the catalog of connected devices: what is observed and the kinds
// of event it sends, as values. The engine reads these rows and knows nothing else
// of the domain; tidemark.yaml may override any of them by name.
package iot

import (
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The fields of a device's profile that the domain knows. A profile may have others.
const (
	FieldType     = "type"      // sensor, gateway or actuator
	FieldStatus   = "status"    // active, where nothing else is said
	FieldAccount  = "accountId" // whose it is
	FieldName     = "name"
	FieldLocation = "location"
	FieldFirmware = "firmware"
)

// active is the status of a device that is registered.
const active = "active"

// statusShards are the partitions over which the devices of one status are spread: most
// of a fleet has the same.
const statusShards = 8

// Device is the subject type: something with sensors and an id.
var Device = catalog.SubjectType{Name: "DEVICE", Path: "devices", Field: "deviceId",
	Profile: &catalog.Profile{
		Declared: []catalog.ProfileField{
			{Name: FieldType, Values: []string{"sensor", "gateway", "actuator"}},
			{Name: FieldStatus, Default: active},
			{Name: FieldAccount}, {Name: FieldName}, {Name: FieldLocation}, {Name: FieldFirmware},
		},
		Indexes: []catalog.ProfileIndex{
			{Field: FieldStatus, Shards: statusShards},
			{Field: FieldAccount, Index: catalog.SecondIndex},
		},
		Versions:   catalog.Versions{Keep: true},
		DeletedFor: 30 * tier.Day24,
	}}

// Readings are the measurements of a device at one time. Late readings are stored, because a
// logger without a connection sends its readings later. Retention is the configured default.
var Readings = catalog.Kind{
	Name:    "READING",
	Path:    "readings",
	Subject: Device,
	Measures: []rollup.MeasureSpec{
		{Name: "temperature", Scale: rollup.DefaultScale, Percentiles: true},
		{Name: "humidity", Scale: rollup.DefaultScale, Percentiles: true},
		{Name: "battery", Scale: rollup.DefaultScale, Percentiles: true},
		{Name: "value", Scale: rollup.DefaultScale, Percentiles: true},
	},
	Late: catalog.KeepLate,
	IDs:  catalog.OptionalID,
}

// Kinds are the domain's rows, in the order they are listed to people.
func Kinds() []catalog.Kind { return []catalog.Kind{Readings} }

// Catalog is the domain alone, with every default filled in.
func Catalog() (*catalog.Catalog, error) { return catalog.New(Kinds()...) }
