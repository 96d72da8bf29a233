package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/release"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// openAPIVersion is the version of the OpenAPI specification.
const openAPIVersion = "3.1.0"

// schemasText has the schemas of requests and responses that are the same for all kinds.
//
//go:embed schemas.json
var schemasText []byte

const apiDescription = `Tidemark stores time-series in one DynamoDB table, with rollups that always equal the
stored events.

An error is a problem+json response (RFC 9457) whose type identifies the problem. Reads
return JSON, and lists also NDJSON and CSV, as selected by Accept. The next page of a list
is read with next, or from the Link header. An entity tag identifies the bytes of a
response: with If-None-Match, an unchanged response has status 304 and no body.
Cache-Control is no-cache for responses that the next write changes, five seconds for
rollups that include an open bucket, and a minute for closed buckets, which a late event,
a correction or a purge may still change.

The gateway itself rejects callers without permission (403) and callers above the rate
limit (429), as {"message": …}.`

// describe returns the OpenAPI description of a catalog's routes, one operation for each
// route.
func describe(c *catalog.Catalog) ([]byte, error) {
	var schemas map[string]any
	if err := json.Unmarshal(schemasText, &schemas); err != nil {
		return nil, fmt.Errorf("decode schemas.json: %w", err)
	}
	for i := range c.Kinds {
		if !c.Kinds[i].HasEvents() {
			continue
		}
		schemas[observationName(&c.Kinds[i])] = observationSchema(&c.Kinds[i])
	}
	paths := map[string]any{}
	for _, r := range httpapi.Routes(c) {
		methods, ok := paths[r.Path].(map[string]any)
		if !ok {
			methods = map[string]any{}
			paths[r.Path] = methods
		}
		methods[strings.ToLower(r.Method)] = describer{c, r, operationOf(r.Action)}.operation()
	}
	return json.Marshal(map[string]any{
		"openapi": openAPIVersion,
		"info":    map[string]any{"title": "Tidemark", "version": release.Version(), "description": apiDescription},
		"servers": []any{map[string]any{"url": "/"}},
		"paths":   paths,
		"components": map[string]any{
			"schemas":         schemas,
			"parameters":      queryParameters(c),
			"securitySchemes": securitySchemes,
		},
		"security":         []any{map[string]any{"signature": []any{}}, map[string]any{"token": []any{}}},
		"x-tidemark-kinds": describeKinds(c),
	})
}

// securitySchemes are the two ways of authentication; a stage uses one of them. A local
// stack uses none.
var securitySchemes = map[string]any{
	"signature": map[string]any{"type": "apiKey", "in": "header", "name": "Authorization",
		"description": "Signature version 4 of AWS, for the service execute-api.", "x-amazon-apigateway-authtype": "awsSigv4"},
	"token": map[string]any{"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
		"description": "For a stage that names an issuer."},
}

// describer describes one route.
type describer struct {
	catalog *catalog.Catalog
	route   httpapi.Route
	row     operation
}

func ref(kind, name string) map[string]any {
	return map[string]any{"$ref": "#/components/" + kind + "/" + name}
}

// queryParameters returns the parameters that the routes of the kinds have.
func queryParameters(c *catalog.Catalog) map[string]any {
	all := map[string]any{}
	var used []string
	for _, r := range httpapi.Routes(c) {
		used = append(used, operationOf(r.Action).params...)
	}
	for _, name := range used {
		p := parameters[name]
		one := map[string]any{"name": name, "in": "query", "description": p.description, "schema": p.schema}
		example := p.example
		if p.repeatable {
			one["schema"], one["explode"] = schema{"type": "array", "items": p.schema}, true
			example = []any{p.example}
		}
		if p.example != nil && !p.standalone {
			one["example"] = example
		}
		all[name] = one
	}
	return all
}

func (d describer) operation() map[string]any {
	o := d.row
	described := map[string]any{
		"operationId": operationID(d.route),
		"summary":     o.summary,
		"tags":        []any{d.tag()},
		"responses":   d.responses(),
	}
	if text := d.withRepeatNote(o.description); text != "" {
		described["description"] = text
	}
	if o.example != "" {
		described["x-example-query"] = o.example
	}
	if all := d.parameters(); len(all) > 0 {
		described["parameters"] = all
	}
	if body := d.body(); body != nil {
		described["requestBody"] = body
	}
	return described
}

// withRepeatNote appends the row's note on repeated requests, unless the kind's ids are
// generated: then a repeated request creates a second event.
func (d describer) withRepeatNote(text string) string {
	if kind, ok := d.catalog.Kind(d.route.Kind); ok && kind.IDs == catalog.MintedID {
		return text
	}
	return strings.TrimSpace(text + " " + d.row.repeatNote)
}

func (d describer) tag() string {
	if d.route.Kind == "" {
		return "service"
	}
	return d.route.Kind
}

// operationID returns the route's id, such as readingHistory.
func operationID(r httpapi.Route) string {
	var id strings.Builder
	for i, word := range strings.FieldsFunc(strings.ToLower(r.Kind+"_"+string(r.Action)), func(c rune) bool { return c == '_' || c == '-' }) {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		id.WriteString(word)
	}
	return id.String()
}

// parameters returns the parameters of the path, each with an example, then those of the
// query string and If-Match.
func (d describer) parameters() (all []any) {
	for _, part := range strings.Split(d.route.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			all = append(all, map[string]any{
				"name": name, "in": "path", "required": true, "schema": pathSchemas[name], "example": d.example(name),
			})
		}
	}
	for _, name := range d.row.params {
		all = append(all, ref("parameters", name))
	}
	if d.row.read == nil && d.row.body != "Observations" && conditional[d.route.Action] {
		all = append(all, ifMatch...)
	}
	return all
}

// conditional has the writes that accept If-Match.
var conditional = map[httpapi.Action]bool{
	httpapi.UpdateSubject: true, httpapi.DeleteSubject: true, httpapi.RestoreSubject: true, httpapi.PurgeSubject: true, httpapi.CallOffPurge: true,
	httpapi.CorrectEvent: true, httpapi.CorrectEventByID: true, httpapi.DeleteEvent: true, httpapi.DeleteEventByID: true,
}

// pathSchemas has the schemas of path parameters.
var pathSchemas = map[string]schema{
	"id":        {"type": "string", "minLength": 1, "maxLength": 512},
	"time":      timeSchema,
	"event":     textSchema,
	"tier":      tierSchema(),
	"dimension": textSchema,
	"value":     textSchema,
	"version":   {"type": "integer", "minimum": 1},
	"alert":     {"type": "string", "pattern": "^[0-9A-HJKMNP-TV-Z]{26}$"},
	"rule":      {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$"},
}

// ifMatch is the header parameter of the conditional writes.
var ifMatch = []any{map[string]any{
	"name": "If-Match", "in": "header", "schema": schema{"type": "string"},
	"description": "An entity tag: the change is made only if the profile still has this version, or the event these fields.",
}}
