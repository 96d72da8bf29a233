// Package template reads CloudFormation templates that the app synthesized, and checks them for what
// AWS accepts at most.
package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// Template is the JSON of a synthesized template, without the asset hashes.
type Template []byte

// assetHash matches the name of an asset in the bootstrap bucket: a hash of its content.
var assetHash = regexp.MustCompile(`[0-9a-f]{64}\.zip`)

// WithoutHashes removes the hashes of the functions' code, so that templates differ only if the
// infrastructure does.
func WithoutHashes(data []byte) Template {
	return Template(append(bytes.TrimSpace(assetHash.ReplaceAll(data, []byte("HASH.zip"))), '\n'))
}

// Resource is one resource of a template.
type Resource struct {
	Type       string
	Properties map[string]any
	Attributes map[string]any `json:"-"` // DependsOn, DeletionPolicy and the like
}

// Resources returns the template's resources by logical id.
func (t Template) Resources() (map[string]Resource, error) {
	var document struct{ Resources map[string]json.RawMessage }
	if err := json.Unmarshal(t, &document); err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	all := map[string]Resource{}
	for id, raw := range document.Resources {
		var r Resource
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, fmt.Errorf("read resource %s: %w", id, err)
		}
		if err := json.Unmarshal(raw, &r.Attributes); err != nil {
			return nil, fmt.Errorf("read resource %s: %w", id, err)
		}
		delete(r.Attributes, "Type")
		delete(r.Attributes, "Properties")
		all[id] = r
	}
	return all, nil
}
