package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/release"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// schemasText has the schemas of requests and responses that are the same for all kinds.
//
//go:embed schemas.json
var schemasText []byte

// documentText is the description without what depends on kinds, and with every parameter of a
// query string by name. A name has one meaning in all operations.
//
//go:embed openapi.json
var documentText []byte

// schema is a JSON Schema, as in OpenAPI 3.1.
type schema = map[string]any

// document is a description in OpenAPI.
type document struct {
	OpenAPI    string           `json:"openapi"`
	Info       map[string]any   `json:"info"`
	Servers    []map[string]any `json:"servers"`
	Paths      map[string]any   `json:"paths"`
	Components struct {
		Schemas         map[string]schema    `json:"schemas"`
		Parameters      map[string]parameter `json:"parameters"`
		SecuritySchemes map[string]any       `json:"securitySchemes"`
	} `json:"components"`
	Security []map[string]any `json:"security"`
	Kinds    []describedKind  `json:"x-tidemark-kinds"`
}

// parameter is a parameter of a query string.
type parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description"`
	Schema      schema `json:"schema"`
	Explode     bool   `json:"explode,omitempty"` // it may be repeated
	// Example is valid for every operation that accepts the parameter; nil if the parameter
	// is not combined with others.
	Example any `json:"example,omitempty"`
}

// newDocument returns what openapi.json and schemas.json have.
func newDocument() document {
	d := decodeEmbedded[document](documentText)
	d.Components.Schemas = decodeEmbedded[map[string]schema](schemasText)
	return d
}

// openAPIFragments are the parts of operations that are the same wherever they are.
type openAPIFragments struct {
	PathParameters  map[string]schema
	IfMatch         schema
	ResponseHeaders schema
}

//go:embed fragments.json
var fragmentsText []byte

var fragments = sync.OnceValue(func() openAPIFragments {
	return decodeEmbedded[openAPIFragments](fragmentsText)
})

// decodeEmbedded returns an embedded file. It panics if the file does not fit T or has an unknown field,
// which is a mistake in the program that the tests find.
func decodeEmbedded[T any](text []byte) (v T) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("decode an embedded file as %T: %v", v, err))
	}
	return v
}

// repeatable has the names of the parameters that may be repeated.
var repeatable = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for name, p := range newDocument().Components.Parameters {
		names[name] = p.Explode
	}
	return names
})

// describe returns the OpenAPI description of a catalog's routes, one operation for each route.
func describe(c *catalog.Catalog) ([]byte, error) {
	d := newDocument()
	d.Info["version"] = release.Version()
	for i := range c.Kinds {
		if c.Kinds[i].HasEvents() {
			d.Components.Schemas[observationName(&c.Kinds[i])] = observationSchema(&c.Kinds[i])
		}
	}
	d.Paths = map[string]any{}
	used := map[string]bool{}
	for _, r := range httpapi.Routes(c) {
		methods, ok := d.Paths[r.Path].(map[string]any)
		if !ok {
			methods = map[string]any{}
			d.Paths[r.Path] = methods
		}
		row := findOperation(r.Action)
		methods[strings.ToLower(r.Method)] = describer{catalog: c, route: r, row: row}.operation()
		for _, name := range row.Parameters {
			used[name] = true
		}
	}
	maps.DeleteFunc(d.Components.Parameters, func(name string, _ parameter) bool { return !used[name] })
	d.Kinds = describeKinds(c)
	return json.Marshal(d)
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

func (d describer) operation() map[string]any {
	o := d.row
	operation := map[string]any{
		"operationId": operationID(d.route),
		"summary":     o.Summary,
		"tags":        []any{d.tag()},
		"responses":   d.responses(),
	}
	if text := d.withRepeatNote(o.Description); text != "" {
		operation["description"] = text
	}
	if all := d.parameters(); len(all) > 0 {
		operation["parameters"] = all
	}
	if body := d.body(); body != nil {
		operation["requestBody"] = body
	}
	return operation
}

// withRepeatNote appends the row's note on repeated requests, unless the kind's ids are
// generated: then a repeated request creates a second event.
func (d describer) withRepeatNote(text string) string {
	if kind, ok := d.catalog.Kind(d.route.Kind); ok && kind.IDs == catalog.MintedID {
		return text
	}
	return strings.TrimSpace(text + " " + d.row.RepeatNote)
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
	for i, word := range strings.FieldsFunc(strings.ToLower(r.Kind+"_"+string(r.Action)), func(c rune) bool {
		return c == '_' || c == '-'
	}) {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		id.WriteString(word)
	}
	return id.String()
}

// parameters returns the parameters of the path, each with an example, then the parameters of the
// query string and If-Match.
func (d describer) parameters() (all []any) {
	for _, part := range strings.Split(d.route.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			all = append(all, map[string]any{
				"name": name, "in": "path", "required": true, "schema": fragments().PathParameters[name],
				"example": d.example(name),
			})
		}
	}
	kind, found := d.catalog.Kind(d.route.Kind)
	for _, name := range d.row.Parameters {
		if name == "consistent" && found && !kind.HasEvents() && d.route.Action == httpapi.ReadHistory {
			continue // its events are read from an index
		}
		all = append(all, ref("parameters", name))
	}
	if d.row.Conditional {
		all = append(all, fragments().IfMatch)
	}
	return all
}
