package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

// template is a synthesized template as text, without what changes at every build.
type template []byte

// assetHash is the name of a zip in the bootstrap bucket: the hash of its content.
var assetHash = regexp.MustCompile(`[0-9a-f]{64}\.zip`)

// normal leaves the hashes of the functions' zips out, so that two templates differ
// only where the infrastructure does.
func normal(data []byte) template {
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
	Others     map[string]any `json:"-"` // DependsOn, DeletionPolicy and the like
}

// resources are the template's resources by their logical ids.
func (t template) resources() (map[string]resource, error) {
	var whole struct{ Resources map[string]json.RawMessage }
	if err := json.Unmarshal(t, &whole); err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	all := map[string]resource{}
	for id, raw := range whole.Resources {
		var r resource
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, fmt.Errorf("read resource %s: %w", id, err)
		}
		if err := json.Unmarshal(raw, &r.Others); err != nil {
			return nil, fmt.Errorf("read resource %s: %w", id, err)
		}
		delete(r.Others, "Type")
		delete(r.Others, "Properties")
		all[id] = r
	}
	return all, nil
}
