package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

// template is the JSON of a synthesized template, without the asset hashes.
type template []byte

// assetHash matches the name of an asset in the bootstrap bucket: a hash of its content.
var assetHash = regexp.MustCompile(`[0-9a-f]{64}\.zip`)

// withoutHashes removes the hashes of the functions' code, so that templates differ only if the
// infrastructure does.
func withoutHashes(data []byte) template {
	return template(append(bytes.TrimSpace(assetHash.ReplaceAll(data, []byte("HASH.zip"))), '\n'))
}

func (t template) print(out io.Writer) error {
	_, err := out.Write(t)
	return err
}

// resource is one resource of a template.
type resource struct {
	Type       string
	Properties map[string]any
	Attributes map[string]any `json:"-"` // DependsOn, DeletionPolicy and the like
}

// resources returns the template's resources by logical id.
func (t template) resources() (map[string]resource, error) {
	var document struct{ Resources map[string]json.RawMessage }
	if err := json.Unmarshal(t, &document); err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	all := map[string]resource{}
	for id, raw := range document.Resources {
		var r resource
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
