package main

import (
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/usertime"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// parameter describes one parameter of a query string.
type parameter struct {
	description string
	schema      schema
	example     any  // valid for every operation that accepts the parameter
	standalone  bool // not combined with others in the description's examples
	repeatable  bool
}

// schema is a JSON Schema, as in OpenAPI 3.1.
type schema = map[string]any

var (
	timeSchema    = schema{"anyOf": []any{schema{"type": "string", "format": "date-time"}, schema{"type": "integer"}}}
	rangeSchema   = schema{"type": []any{"string", "integer"}}
	booleanSchema = schema{"type": "boolean", "default": false}
	textSchema    = schema{"type": "string", "minLength": 1}
)

// parameters has every parameter by name. A name has one meaning in all operations.
var parameters = map[string]parameter{
	"from": {description: "Start of the range, inclusive: " + usertime.Forms + ". In a kind that is ordered by a number or text, a value of it.",
		schema: rangeSchema, example: "2026-04-20T00:00:00Z"},
	"to": {description: "End of the range, exclusive.",
		schema: rangeSchema, example: "2026-04-21T00:00:00Z"},
	"last": {description: "This span before now, instead of from and to: " + usertime.Durations + ". Rollups are those of all buckets that overlap it.",
		schema: schema{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ms|s|m|h|d|w|y))+$`}, example: "24h", standalone: true},
	"strict": {description: "Reject an observation with a measure that is not a number, instead of storing it and naming the measure in invalid.",
		schema: booleanSchema, example: true},
	"order": {description: "Which end comes first.",
		schema: schema{"type": "string", "enum": []any{"newest", "oldest"}}, example: "oldest"},
	"limit": {description: "Maximum number in the response. A page may have fewer although more follow: follow next until it is null.",
		schema: schema{"type": "integer", "minimum": 1, "maximum": maxLimit}, example: 10},
	"cursor": {description: "The next of the previous page. All other parameters must be the same.",
		schema: textSchema, standalone: true},
	"stream": {description: "The stream of the series; without it, the events that have no stream. Rollups accept several streams and merge them.",
		schema: schema{"type": "string", "maxLength": 128}, example: "", repeatable: true},
	"with": {description: "Another subject of the type, whose buckets are merged with the first subject's. May be repeated.",
		schema: textSchema, example: "another", repeatable: true},
	"zone": {description: "A time zone such as Europe/Berlin: the response has its days, weeks or months, cut from buckets and events, and dates of from and to are in it. " +
		"A rollup has the zone UTC where what is left cannot be cut. At most 400, without pages; the default range is 30 days.",
		schema: textSchema, standalone: true},
	"points": {description: "Maximum number of points of the chart. The finest tier within it is used.",
		schema: schema{"type": "integer", "minimum": 1, "maximum": maxPoints, "default": query.DefaultPoints}, example: 400},
	"stitched": {description: "If the tier does not reach back to the start of the range, use coarser tiers before it.",
		schema: booleanSchema, example: true},
	"gaps": {description: "Include buckets without events from wholeFrom on, without measures. Before wholeFrom, a bucket may have had events that have expired.",
		schema: booleanSchema, example: true},
	"by": {description: "The value of an indexed field; once for each field of the index, in their order.",
		schema: textSchema, example: exampleText, repeatable: true},
	"index": {description: "The index, if the kind declares two; the first by default.",
		schema: schema{"type": "string", "enum": []any{catalog.FirstIndex, catalog.SecondIndex}}, example: catalog.FirstIndex},
	"fields": {description: "The fields of events to return, separated by commas; all by default.",
		schema: textSchema, example: "temperature"},
	"where": {description: "Condition on fields: " + httpapi.WhereForms + ". Events must meet all conditions. Events that are filtered out are still read and cost read units.",
		schema: textSchema, example: "temperature>20", repeatable: true},
	"consistent": {description: "Include every write that was acknowledged before the request, at twice the read units.",
		schema: booleanSchema, example: true},
	"tier": {description: "One of the kind's tiers. By default, a chart uses the finest that suits its range, and the most frequent values use days.",
		schema: tierSchema(), example: tier.Hour.String()},
	"field": {description: "A field that the subject type declares an index for.",
		schema: textSchema, standalone: true},
	"value": {description: "The value of that field.",
		schema: textSchema, standalone: true},
	"deleted": {description: "List deleted subjects, the latest first.",
		schema: booleanSchema, example: true},
	"before": {description: "Versions below this number: the before of the previous page.",
		schema: schema{"type": "integer", "minimum": 1}, example: 9},
	"severity": {description: "Only alerts of this severity.",
		schema: schema{"type": "string", "enum": []any{"critical", "warning", "info"}}, example: "critical"},
	"open": {description: "Only open alerts.",
		schema: booleanSchema, example: true},
	"forever": {description: "Remove the profile, its versions and its unique values permanently.",
		schema: booleanSchema, example: false},
	"dryRun": {description: "Count the items that a purge would remove, and remove nothing.",
		schema: booleanSchema, example: false},
	"graceHours": {description: "Hours until the purge begins, during which it can be cancelled.",
		schema: schema{"type": "integer", "minimum": 0, "maximum": 24 * 366, "default": 0}, example: 72},
}

// tierSchema accepts any tier. Each kind declares which of them it has.
func tierSchema() schema {
	return schema{"type": "string", "enum": lists.Map(tier.Units(), func(u tier.Unit) any { return u.String() })}
}
