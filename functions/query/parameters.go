package main

import (
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// parameter is one parameter of a query string, as the API's description tells it.
type parameter struct {
	about   string
	schema  schema
	example any // that every operation with the parameter can be run with
	// alone parameters mean something only by themselves, or with those named: the
	// description's examples leave them out.
	alone bool
	many  bool // it may be given several times
}

// schema is a JSON Schema, as OpenAPI 3.1 has it.
type schema = map[string]any

var (
	timeSchema    = schema{"anyOf": []any{schema{"type": "string", "format": "date-time"}, schema{"type": "integer"}}}
	booleanSchema = schema{"type": "boolean", "default": false}
	textSchema    = schema{"type": "string", "minLength": 1}
)

// parameters are all there are, by name. One means the same wherever it is taken.
var parameters = map[string]parameter{
	"from": {about: "First instant of the range: RFC 3339 with any offset, or epoch seconds or milliseconds.",
		schema: timeSchema, example: "2026-04-20T00:00:00Z"},
	"to": {about: "The instant that the range ends before.",
		schema: timeSchema, example: "2026-04-21T00:00:00Z"},
	"last": {about: "The buckets that reach into this span before now, in place of from and to: 5m, 24h.",
		schema: schema{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`}, example: "24h", alone: true},
	"order": {about: "Which comes first.",
		schema: schema{"type": "string", "enum": []any{"newest", "oldest"}}, example: "oldest"},
	"limit": {about: "How many the answer holds at most. It may hold fewer before the end: only next tells whether there is more.",
		schema: schema{"type": "integer", "minimum": 1, "maximum": maxLimit}, example: 10},
	"cursor": {about: "next of the page before, with everything else as it was asked there.",
		schema: textSchema, alone: true},
	"stream": {about: "The stream of the series; without it, the events that have none. Of rollups several may be given, which are merged.",
		schema: schema{"type": "string", "maxLength": 128}, example: "", many: true},
	"with": {about: "A further subject of the type, merged with the first bucket by bucket; several may be given.",
		schema: textSchema, example: "another", many: true},
	"points": {about: "How many points the chart has at most: the finest tier that gives no more is taken.",
		schema: schema{"type": "integer", "minimum": 1, "maximum": maxPoints, "default": query.DefaultPoints}, example: 400},
	"stitched": {about: "Where a tier does not reach back to the beginning, go on with coarser ones before.",
		schema: booleanSchema, example: true},
	"gaps": {about: "Show buckets without events too, without measures, from wholeFrom on: before it they may have had events that expired.",
		schema: booleanSchema, example: true},
	"fields": {about: "The fields that events are shown with, apart by commas; without it, all.",
		schema: textSchema, example: "temperature"},
	"where": {about: "What fields must meet: " + envelope.WhereForms + ". Several must all be met. What it leaves out is read, and costs, all the same.",
		schema: textSchema, example: "temperature>20", many: true},
	"consistent": {about: "See every write that was answered before, at twice the read units.",
		schema: booleanSchema, example: true},
	"tier": {about: "The granularity, one of the kind's ladder. Left out, a chart takes the finest that suits its range, and a top days.",
		schema: tierSchema(), example: tier.Hour.String()},
	"field": {about: "A field that the subject type declares an index by.",
		schema: textSchema, alone: true},
	"value": {about: "The value of that field.",
		schema: textSchema, alone: true},
	"deleted": {about: "The deleted ones, latest first.",
		schema: booleanSchema, example: true},
	"before": {about: "Versions below this number: before of the page before.",
		schema: schema{"type": "integer", "minimum": 1}, example: 9},
	"severity": {about: "How grave: those of one severity alone.",
		schema: schema{"type": "string", "enum": []any{"critical", "warning", "info"}}, example: "critical"},
	"open": {about: "Those alone that are open.",
		schema: booleanSchema, example: true},
	"forever": {about: "Remove the profile, its versions and its unique values for good.",
		schema: booleanSchema, example: false},
	"dryRun": {about: "Count what a purge would remove, and remove nothing.",
		schema: booleanSchema, example: false},
	"graceHours": {about: "Hours in which the purge can be called off.",
		schema: schema{"type": "integer", "minimum": 0, "maximum": 24 * 366, "default": 0}, example: 72},
}

// tierSchema is any tier: which of them a kind has is its ladder's to say.
func tierSchema() schema {
	var names []any
	for _, u := range []tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month} {
		names = append(names, u.String())
	}
	return schema{"type": "string", "enum": names}
}
