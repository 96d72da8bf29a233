package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// description is the part of an OpenAPI document that the tests use.
type description struct {
	Paths      map[string]map[string]operation
	Components struct{ Parameters map[string]parameter }

	compiler *jsonschema.Compiler
}

type operation struct {
	ID          string `json:"operationId"`
	Query       string `json:"-"` // what a request needs besides its path
	Parameters  []parameter
	RequestBody struct{ Content map[string]media }
	Responses   map[string]response

	method, path string
}

type parameter struct {
	Ref      string `json:"$ref"`
	Name, In string
	Example  any
	Explode  bool
	Required bool
}

type media struct {
	Example  any
	Examples map[string]struct{ Value any }
}

type response struct{ Content map[string]json.RawMessage }

// loadDescription reads the description from the service.
func (s service) loadDescription(t *testing.T) *description {
	t.Helper()
	a := s.send(t, "GET", "/openapi.json", nil)
	d := &description{compiler: jsonschema.NewCompiler()}
	if err := json.Unmarshal(a.body, d); err != nil || a.status != 200 {
		t.Fatalf("%d %v", a.status, err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	return d
}

// methodOrder is the order in which methods are run, so that a subject is read before it is
// deleted.
var methodOrder = []string{"get", "put", "patch", "post", "delete"}

// needed are the queries without which requests are refused, by operation, besides required parameters.
var needed = map[string]string{"sessionHistory": "where=visitor%3D%221%22"}

// operations returns all operations: first those that append, then by method.
func (d *description) operations() (all []operation) {
	for path, methods := range d.Paths {
		for method, o := range methods {
			o.method = method
			o.path = path
			o.Query = needed[o.ID]
			for _, p := range o.Parameters {
				name, _ := strings.CutPrefix(p.Ref, "#/components/parameters/")
				if p = d.Components.Parameters[name]; p.Required {
					o.Query = url.Values{p.Name: {text(p.Example)}}.Encode()
				}
			}
			all = append(all, o)
		}
	}
	rank := func(o operation) int {
		if o.appends() {
			return -1
		}
		return slices.Index(methodOrder, o.method)
	}
	slices.SortFunc(all, func(a, b operation) int {
		if by := rank(a) - rank(b); by != 0 {
			return by
		}
		return strings.Compare(a.path, b.path)
	})
	return all
}

func (o operation) appends() bool {
	return o.method == "post" && o.RequestBody.Content["application/x-ndjson"].Examples != nil
}

// target returns the operation's path with the examples of its parameters.
func (o operation) target(t *testing.T) string {
	t.Helper()
	path := o.path
	for _, p := range o.Parameters {
		if p.In == "path" {
			if p.Example == nil {
				t.Errorf("%s: %s has no example", o.ID, p.Name)
			}
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(text(p.Example)), 1)
		}
	}
	if o.Query != "" {
		path += "?" + o.Query
	}
	return path
}

// queries returns one query string for each parameter with an example.
func (o operation) queries(d *description) (all []string) {
	for _, p := range o.Parameters {
		name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/")
		p = d.Components.Parameters[name]
		if !ok || p.Example == nil {
			continue
		}
		values := url.Values{}
		if list, ok := p.Example.([]any); ok {
			for _, v := range list {
				values.Add(p.Name, text(v))
			}
		} else {
			values.Set(p.Name, text(p.Example))
		}
		all = append(all, values.Encode())
	}
	return all
}

func text(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// bodies returns the example bodies, each with its content type.
func (o operation) bodies() (all [][2]string) {
	for kind, m := range o.RequestBody.Content {
		values := []any{}
		if m.Example != nil {
			values = append(values, m.Example)
		}
		for _, e := range m.Examples {
			values = append(values, e.Value)
		}
		for _, v := range values {
			if lines, ok := v.(string); ok {
				all = append(all, [2]string{kind, lines})
				continue
			}
			body, _ := json.Marshal(v) // decoded from JSON
			all = append(all, [2]string{kind, string(body)})
		}
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[1], b[1]) })
	return all
}

// successes returns the statuses of successful responses.
func (o operation) successes() []int {
	var all []int
	for status := range o.Responses {
		if n, err := strconv.Atoi(status); err == nil && n >= 200 && n < 300 {
			all = append(all, n)
		}
	}
	return all
}

// requireDescribed fails the test unless the operation describes the response's status,
// content type and schema.
func (d *description) requireDescribed(t *testing.T, o operation, what string, a apiResponse) {
	t.Helper()
	status := strconv.Itoa(a.status)
	described, ok := o.Responses[status]
	if !ok {
		t.Errorf("%s %s returned %d %s, which is not described", o.ID, what, a.status, a.body)
		return
	}
	if len(described.Content) == 0 {
		if len(a.body) > 0 {
			t.Errorf("%s %s returned %d with %q, want no body", o.ID, what, a.status, a.body)
		}
		return
	}
	if described.Content[a.contentType()] == nil {
		t.Errorf("%s %s returned %d as %s, which is not described", o.ID, what, a.status, a.contentType())
		return
	}
	if strings.HasSuffix(a.contentType(), "json") && a.contentType() != "application/x-ndjson" {
		d.requireSchema(t, o, what, status, a)
	}
}

func (d *description) requireSchema(t *testing.T, o operation, what, status string, a apiResponse) {
	t.Helper()
	pointer := "openapi.json#/paths/" + escaped(o.path) + "/" + o.method + "/responses/" + status + "/content/" +
		escaped(a.contentType()) + "/schema"
	schema, err := d.compiler.Compile(pointer)
	if err != nil {
		t.Fatalf("%s: %v", o.ID, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		t.Errorf("%s %s: %v: %s", o.ID, what, err, a.body)
		return
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s %s: %v\n%.2000s", o.ID, what, err, a.body)
	}
}

// escaped returns a name escaped for a JSON pointer in a URL.
func escaped(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}
