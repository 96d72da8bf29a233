package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/release"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// openAPIVersion is of the specification that the description follows.
const openAPIVersion = "3.1.0"

// schemasText are the shapes of what is sent and answered, whatever the kind.
//
//go:embed schemas.json
var schemasText []byte

const aboutAPI = `Tidemark keeps time-series in one DynamoDB table, with rollups that say exactly what
their events say.

A mistake is answered as problem+json (RFC 9457), each sort with a type of its own. Reads
have JSON, and where the answer is a list also NDJSON and CSV, by Accept; lists go on with
next, or by the Link header. An entity tag stands for the bytes sent: If-None-Match answers
304, which spares the transfer. Cache-Control is no-cache for what the next write changes,
five seconds for rollups that a bucket still open belongs to, a minute for closed ones,
since a late event, a correction or a purge may still change them.

The gateway in front answers by itself who may not call (403) and who calls too often
(429), as {"message": …}.`

// describe makes the description of the API that a catalog's routes are: one
// operation a route, told by the table of operations.
func describe(c *catalog.Catalog) ([]byte, error) {
	var shapes map[string]any
	if err := json.Unmarshal(schemasText, &shapes); err != nil {
		return nil, fmt.Errorf("read the shapes of answers: %w", err)
	}
	for i := range c.Kinds {
		shapes[observationName(&c.Kinds[i])] = observationSchema(&c.Kinds[i])
	}
	paths := map[string]any{}
	for _, r := range c.AllRoutes() {
		methods, ok := paths[r.Path].(map[string]any)
		if !ok {
			methods = map[string]any{}
			paths[r.Path] = methods
		}
		methods[strings.ToLower(r.Method)] = describer{c, r, operationOf(r.Action)}.operation()
	}
	return json.Marshal(map[string]any{
		"openapi": openAPIVersion,
		"info":    map[string]any{"title": "Tidemark", "version": release.Version(), "description": aboutAPI},
		"servers": []any{map[string]any{"url": "/"}},
		"paths":   paths,
		"components": map[string]any{
			"schemas":         shapes,
			"parameters":      queryParameters(),
			"securitySchemes": securitySchemes,
		},
		"security": []any{map[string]any{"signature": []any{}}, map[string]any{"token": []any{}}},
	})
}

// securitySchemes are the two ways a stage may be opened; on a laptop nobody is asked.
var securitySchemes = map[string]any{
	"signature": map[string]any{"type": "apiKey", "in": "header", "name": "Authorization",
		"description": "Signature version 4 of AWS, for the service execute-api.", "x-amazon-apigateway-authtype": "awsSigv4"},
	"token": map[string]any{"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
		"description": "Where the stage names an issuer."},
}

// describer describes one route.
type describer struct {
	catalog *catalog.Catalog
	route   catalog.Route
	row     operation
}

func ref(kind, name string) map[string]any {
	return map[string]any{"$ref": "#/components/" + kind + "/" + name}
}

func queryParameters() map[string]any {
	all := map[string]any{}
	for name, p := range parameters {
		one := map[string]any{"name": name, "in": "query", "description": p.about, "schema": p.schema}
		example := p.example
		if p.many {
			one["schema"], one["explode"] = schema{"type": "array", "items": p.schema}, true
			example = []any{p.example}
		}
		if p.example != nil && !p.alone {
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
	if about := d.andAgain(o.about); about != "" {
		described["description"] = about
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

// andAgain is a description, and what is to be known of a repeat where that makes no
// second event: not of a kind whose ids are minted anew.
func (d describer) andAgain(about string) string {
	if kind, ok := d.catalog.Kind(d.route.Kind); ok && kind.IDs == catalog.MintedID {
		return about
	}
	return strings.TrimSpace(about + " " + d.row.again)
}

func (d describer) tag() string {
	if d.route.Kind == "" {
		return "service"
	}
	return d.route.Kind
}

// operationID is the route in one word: readingHistory.
func operationID(r catalog.Route) string {
	var id strings.Builder
	for i, word := range strings.FieldsFunc(strings.ToLower(r.Kind+"_"+string(r.Action)), func(c rune) bool { return c == '_' || c == '-' }) {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		id.WriteString(word)
	}
	return id.String()
}

// parameters are those of the path, each with an example, then those of the query string.
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
	if d.row.answer == nil && d.row.body != "Observations" && conditional[d.route.Action] {
		all = append(all, ifMatch...)
	}
	return all
}

// conditional are the writes that may be made to hang on a profile's version.
var conditional = map[catalog.Action]bool{
	catalog.UpdateSubject: true, catalog.DeleteSubject: true, catalog.RestoreSubject: true, catalog.PurgeSubject: true, catalog.CallOffPurge: true,
}

// pathSchemas are the words of a path that callers fill in.
var pathSchemas = map[string]schema{
	"id":        {"type": "string", "minLength": 1, "maxLength": 512},
	"tier":      tierSchema(),
	"dimension": textSchema,
	"value":     textSchema,
	"version":   {"type": "integer", "minimum": 1},
	"alert":     {"type": "string", "pattern": "^[0-9A-HJKMNP-TV-Z]{26}$"},
	"rule":      {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$"},
}

// responses are the answer, what spares it, and the problems by status.
func (d describer) responses() map[string]any {
	o := d.row
	good := map[string]any{"description": o.summary + ".", "content": d.content(o.result)}
	all := map[string]any{strconv.Itoa(o.success()): good}
	if o.answer != nil {
		good["headers"] = answerHeaders
		all[strconv.Itoa(http.StatusNotModified)] = map[string]any{"description": "If-None-Match names the answer."}
	}
	if len(o.params) > 0 && slices.Contains(o.params, "dryRun") {
		all["200"] = good
	}
	byStatus := map[int][]envelope.ProblemType{}
	problems := o.problems
	if o.answer != nil {
		problems = with(readProblems, problems...)
	}
	for _, p := range problems {
		byStatus[p.Status] = append(byStatus[p.Status], p)
	}
	for status, some := range byStatus {
		all[strconv.Itoa(status)] = problemResponse(some)
	}
	if o.body == "Observations" {
		all["503"] = map[string]any{"description": d.andAgain("Some observations could not be settled, and are unknown."), "content": jsonContent(ref("schemas", o.result))}
	}
	return all
}

// content is the answer in each of its forms.
func (d describer) content(result string) map[string]any {
	content := jsonContent(ref("schemas", result))
	if d.row.list {
		content[envelope.FormNDJSON.Type] = map[string]any{"schema": schema{"type": "string"}}
		content[envelope.FormCSV.Type] = map[string]any{"schema": schema{"type": "string"}}
	}
	return content
}

func jsonContent(shape any) map[string]any {
	return map[string]any{envelope.FormJSON.Type: map[string]any{"schema": shape}}
}

// problemResponse tells the problems of one status apart by their types.
func problemResponse(problems []envelope.ProblemType) map[string]any {
	titles := map[string]string{}
	for _, p := range problems {
		titles[p.URI] = p.Title
	}
	var types []any
	var lines []string
	for _, uri := range slices.Sorted(maps.Keys(titles)) {
		types = append(types, uri)
		lines = append(lines, titles[uri]+" ("+strings.TrimPrefix(uri, "/problems/")+").")
	}
	shape := map[string]any{"allOf": []any{ref("schemas", "Problem"), schema{"properties": schema{"type": schema{"enum": types}}}}}
	return map[string]any{
		"description": strings.Join(lines, " "),
		"content":     map[string]any{"application/problem+json": map[string]any{"schema": shape}},
	}
}

var answerHeaders = map[string]any{
	"ETag":          headerOf("Of the bytes sent, for If-None-Match."),
	"Cache-Control": headerOf("How long the answer may be shown again without asking."),
	"Link":          headerOf("The next page, where there is one."),
}

func headerOf(about string) map[string]any {
	return map[string]any{"description": about, "schema": schema{"type": "string"}}
}

var ifMatch = []any{map[string]any{
	"name": "If-Match", "in": "header", "schema": schema{"type": "string"},
	"description": "The entity tag of the profile as it was read: the change is made only where its version still stands.",
}}
