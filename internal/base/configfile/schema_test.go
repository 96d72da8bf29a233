package configfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

const schemaFile = "tidemark.schema.json"

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiled, err := compiler.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// plain returns what the YAML parser of an editor passes to a schema: times are text.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return plain(n.Content[0])
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, plain(item))
		}
		return list
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true"
	case "!!int", "!!float":
		return json.Number(n.Value)
	}
	return n.Value
}

func document(t *testing.T, data []byte) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		t.Fatal(err)
	}
	if n.Kind == 0 {
		return nil
	}
	return plain(&n)
}

func TestSchema_AcceptsTheShippedFile(t *testing.T) {
	if err := schema(t).Validate(document(t, shipped(t))); err != nil {
		t.Errorf("the shipped file: %v", err)
	}
}

// Editors resolve the path of the first line from the folder of the file.
func TestSchema_IsNamedByTheShippedFile(t *testing.T) {
	first, _, _ := bytes.Cut(shipped(t), []byte("\n"))
	path, named := strings.CutPrefix(string(first), "# yaml-language-server: $schema=")
	if !named {
		t.Fatalf("the first line of the shipped file is %q, and names no schema", first)
	}
	got, err := os.ReadFile(filepath.Join(filepath.Dir(shippedFile), path))
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(schemaFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the schema of this package, %v", path, err)
	}
}

// object is an object of the schema and the YAML that leads to it.
type object struct {
	path       string
	properties map[string]map[string]any
}

func (o object) names() []string {
	var names []string
	for name := range o.properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// objects are all objects with named properties, members of kinds and stages
// included under the names READING and prod.
func objects(t *testing.T) []object {
	t.Helper()
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	var all []object
	var walk func(path string, s map[string]any)
	walk = func(path string, s map[string]any) {
		if ref, ok := s["$ref"].(string); ok {
			target := root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
			walk(path, target)
		}
		for _, branch := range asList(s["oneOf"]) {
			walk(path, branch.(map[string]any))
		}
		if properties, ok := s["properties"].(map[string]any); ok {
			o := object{path: path, properties: map[string]map[string]any{}}
			for name, p := range properties {
				o.properties[name] = p.(map[string]any)
				walk(path+"."+name, p.(map[string]any))
			}
			all = append(all, o)
		}
		if members, ok := s["additionalProperties"].(map[string]any); ok {
			name := map[string]string{".kinds": "READING", ".stages": "prod"}[path]
			if name == "" {
				name = "anything"
			}
			walk(path+"."+name, members)
		}
	}
	walk("", root)
	return all
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// nest writes YAML whose value at path is text.
func nest(path, text string) string {
	var b strings.Builder
	depth := 0
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		fmt.Fprintf(&b, "\n%s%s:", strings.Repeat("  ", depth), name)
		depth++
	}
	return b.String() + " " + text + "\n"
}

// The message for an unknown key lists the known keys: the schema must have the same keys.
func TestSchema_HasTheKeysOfTheReader(t *testing.T) {
	found := objects(t)
	if len(found) < 12 {
		t.Fatalf("only %d objects found in the schema", len(found))
	}
	for _, o := range found {
		_, err := configfile.Parse("x", []byte(nest(o.path, "{zzzzzzzzzz: 1}")), iot.Kinds()...)
		_, list, ok := strings.Cut(fmt.Sprint(err), "want one of: ")
		if !ok {
			t.Errorf("%s: %v, want a list of the keys known", o.path, err)
			continue
		}
		list, _, _ = strings.Cut(list, "\n")
		known := strings.Split(list, ", ")
		slices.Sort(known)
		if !slices.Equal(known, o.names()) {
			t.Errorf("%s: the reader knows %v, the schema %v", o.path, known, o.names())
		}
	}
}

// The reader accepts the bounds of the schema, and rejects one beyond each of them.
func TestSchema_HasTheBoundsOfTheReader(t *testing.T) {
	checked := 0
	for _, o := range objects(t) {
		for name, property := range o.properties {
			path := strings.TrimPrefix(o.path+"."+name, ".")
			for bound, beyond := range map[string]float64{"minimum": -1, "maximum": +1} {
				limit, ok := property[bound].(float64)
				if !ok || strings.HasSuffix(path, "Units") {
					continue
				}
				checked++
				if !outOfBounds(path, limit+beyond) {
					t.Errorf("%s: the schema's %s is %v, but the reader accepts %v", path, bound, limit, limit+beyond)
				}
				if outOfBounds(path, limit) {
					t.Errorf("%s: the schema's %s is %v, but the reader rejects it", path, bound, limit)
				}
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d bounds compared: the schema was not read", checked)
	}
}

// outOfBounds reports whether the reader finds n out of bounds at path.
func outOfBounds(path string, n float64) bool {
	_, err := configfile.Parse("x", []byte(nest(path, fmt.Sprintf("%.0f", n))), iot.Kinds()...)
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) {
		return false
	}
	return slices.ContainsFunc(mistakes, func(m config.Mistake) bool {
		return m.Path == path && strings.Contains(m.Message, "out of bounds")
	})
}

// The schema lists the reserved names, because it cannot call package keys.
func TestSchema_RejectsReservedNames(t *testing.T) {
	s := schema(t)
	for _, name := range []string{
		keys.AttrPK, keys.AttrSK, keys.AttrGSI1PK, keys.AttrGSI1SK, keys.AttrGSI2PK, keys.AttrGSI2SK,
		keys.AttrVersion, keys.AttrExpiresAt, keys.AttrCreatedAt, tablekeys.AttrSummary,
		catalog.TimeField, catalog.StreamField, catalog.IDField,
	} {
		text := nest("kinds.READING.enrichment", "["+name+"]")
		if err := s.Validate(document(t, []byte(text))); err == nil {
			t.Errorf("the schema accepts the field %s", name)
		}
		if _, err := configfile.Parse("x", []byte(text), iot.Kinds()...); err == nil {
			t.Errorf("the reader accepts the field %s", name)
		}
	}
}
