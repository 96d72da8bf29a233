package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// exampleTime is the event time of the examples.
const exampleTime = "2026-04-20T14:00:00Z"

// exampleText is the value of every text field of the examples.
const exampleText = "example"

// exampleAlert is the id of the example alert.
const exampleAlert = "01KPN3Q8G0V7H4T2W9R5M6C1XA"

// exampleID returns the id of the example subject in a state; "" is any state.
func exampleID(subjectType, state string) string {
	return strings.ToLower(subjectType) + "_" + cmp.Or(state, "01")
}

// example returns a valid value of a path parameter.
func (d describer) example(name string) any {
	kinds := d.kinds()
	switch name {
	case "id":
		// of a type without kinds
		kinds = append(kinds, &catalog.Kind{Subject: catalog.SubjectType{Name: d.route.Kind}})
		return exampleID(kinds[0].Subject.Name, d.row.ExampleState)
	case "tier":
		for _, k := range kinds {
			if len(k.Retention.Tiers) > 0 {
				return k.Retention.Finest().Unit.String()
			}
		}
	case "dimension":
		for _, k := range kinds {
			if len(k.Dimensions) > 0 {
				return k.Dimensions[0].Name
			}
		}
	case "measure":
		for _, k := range kinds {
			if len(k.Measures) > 0 {
				return k.Measures[0].Name
			}
		}
	case "counter":
		of, _ := d.catalog.Kind(kinds[0].GroupsOf) // the route has groups, whose members have one
		return of.Counters()[0]
	case "time":
		return exampleTime
	case "event":
		return "1"
	case "version":
		return 1
	case "alert":
		return exampleAlert
	}
	return exampleText
}

// kinds returns the kinds that the route serves.
func (d describer) kinds() []*catalog.Kind {
	if k, ok := d.catalog.Kind(d.route.Kind); ok {
		return []*catalog.Kind{k}
	}
	if s, ok := d.catalog.SubjectType(d.route.Kind); ok {
		return d.catalog.SubjectKinds(s)
	}
	return nil
}

// body describes the body of a write, with examples.
func (d describer) body() map[string]any {
	switch d.row.Body {
	case "":
		return nil
	case "Observations":
		return d.observations()
	}
	example := map[string]any{"name": exampleText}
	switch {
	case d.row.Body == "NewRule":
		example = d.rule()
	case d.row.Result == "EditResult":
		example = d.correction()
	}
	return map[string]any{"required": true, "content": map[string]any{views.FormatJSON.Type: map[string]any{
		"schema": ref("schemas", d.row.Body), "example": example,
	}}}
}

// rule returns an example rule, for the first kind that allows rules.
func (d describer) rule() map[string]any {
	kinds := d.kinds()
	k := kinds[max(0, slices.IndexFunc(kinds, (*catalog.Kind).AllowsRules))]
	measure := exampleText
	if len(k.Measures) > 0 {
		measure = k.Measures[0].Name
	}
	return map[string]any{"name": exampleText, "kind": k.Path, "measure": measure, "bounds": "above", "high": 30,
		"severity": "warning"}
}

// correction returns the fields of an example correction.
func (d describer) correction() map[string]any {
	kind := d.kinds()[0]
	o := observation(kind, "")
	for _, name := range []string{kind.Subject.Field, catalog.TimeField, catalog.IDField} {
		delete(o, name)
	}
	return o
}

func (d describer) observations() map[string]any {
	kind := d.kinds()[0]
	observed := ref("schemas", observationName(kind))
	first, second := observation(kind, "1"), observation(kind, "2")
	second[orderField(kind)] = orderExample(kind, strings.Replace(exampleTime, ":00Z", ":30Z", 1), 2)
	lines := jsonLine(first) + jsonLine(second)
	return map[string]any{"required": true, "content": map[string]any{
		views.FormatJSON.Type: map[string]any{
			"schema": schema{"oneOf": []any{observed, schema{"type": "array", "items": observed}}},
			"examples": map[string]any{
				"one": map[string]any{"summary": "One observation", "value": first},
				"many": map[string]any{"summary": "Several, with results in the same order",
					"value": []any{first, second}},
			},
		},
		views.FormatNDJSON.Type: map[string]any{
			"schema":   schema{"type": "string"},
			"examples": map[string]any{"lines": map[string]any{"summary": "One a line", "value": lines}},
		},
	}}
}

func jsonLine(v any) string {
	text, _ := json.Marshal(v) // plain data, cannot fail
	return string(text) + "\n"
}

// observation returns an example observation of a kind, with every field that it declares.
func observation(k *catalog.Kind, id string) map[string]any {
	o := map[string]any{k.Subject.Field: exampleID(k.Subject.Name, ""),
		orderField(k): orderExample(k, exampleTime, 1)}
	if k.IDs == catalog.RequiredID {
		o[catalog.IDField] = id
	}
	for _, m := range k.Measures {
		o[m.Name] = 21
	}
	for _, name := range textFields(k) {
		o[name] = exampleText
	}
	return o
}

// orderSchemas are the schemas of what orders events.
var orderSchemas = map[catalog.OrderType]schema{
	"": {"anyOf": []any{schema{"type": "string", "format": "date-time"},
		schema{"type": "integer"}}},
	catalog.NumberOrder: {"type": "number", "description": "Orders the events of the series."},
	catalog.TextOrder:   {"type": "string", "minLength": 1, "description": "Orders the events of the series."},
}

// orderField returns the field that orders a kind's events.
func orderField(k *catalog.Kind) string { return cmp.Or(k.OrderBy, catalog.TimeField) }

// orderExample returns a value of it: a time, or the nth number or text.
func orderExample(k *catalog.Kind, at string, n int) any {
	return map[catalog.OrderType]any{"": at, catalog.NumberOrder: n,
		catalog.TextOrder: fmt.Sprint("v", n)}[k.OrderType]
}

// textFields returns the text fields that a kind declares, sorted.
func textFields(k *catalog.Kind) []string {
	names := slices.Clone(k.Distinct)
	for _, d := range k.Dimensions {
		if !d.IsPair() {
			names = append(names, d.Name)
		}
	}
	if k.IndexBy != "" {
		names = append(names, k.IndexBy)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// observationName returns the schema name of a kind's observations, such as ReadingObservation.
func observationName(k *catalog.Kind) string {
	name := operationID(httpapi.Route{Kind: k.Name})
	return strings.ToUpper(name[:1]) + name[1:] + "Observation"
}

// observationSchema returns the schema of a kind's observations.
func observationSchema(k *catalog.Kind) schema {
	properties := schema{
		k.Subject.Field: schema{"type": "string", "minLength": 1, "description": "The id of the subject."},
		orderField(k):   orderSchemas[k.OrderType],
	}
	required := []any{k.Subject.Field, orderField(k)}
	properties[catalog.StreamField] = schema{"type": "string",
		"description": "Selects one of several series of the subject."}
	if k.IDs != catalog.MintedID {
		properties[catalog.IDField] = schema{"type": "string",
			"description": "Distinguishes events with the same time."}
	}
	if k.IDs == catalog.RequiredID {
		required = append(required, catalog.IDField)
	}
	for _, m := range k.Measures {
		properties[m.Name] = schema{"type": []any{"number", "string", "null"},
			"description": "A measure. null, or text that is not a number, is counted as invalid."}
	}
	for _, name := range textFields(k) {
		properties[name] = schema{"type": "string"}
	}
	return schema{
		"type": "object", "required": required, "properties": properties,
		"additionalProperties": schema{"type": []any{"string", "number", "boolean", "null"}},
	}
}
