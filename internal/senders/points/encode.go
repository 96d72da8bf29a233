package points

import (
	"encoding/json"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Encode returns an observation of a kind as the JSON object that the API accepts.
func Encode(kind *catalog.Kind, o ingest.Observation) []byte {
	subject := ingest.Field{Name: kind.Subject.Field, Form: ingest.TextForm, Text: o.Subject}
	fields := append([]ingest.Field{subject}, o.Fields...)
	body := []byte{'{'}
	for _, f := range fields {
		if f.Text == "" && (f.Name == kind.Subject.Field || f.Name == catalog.StreamField) {
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		name, _ := json.Marshal(f.Name) // strings cannot fail
		value := []byte(f.Text)
		switch f.Form {
		case ingest.TextForm:
			value, _ = json.Marshal(f.Text)
		case ingest.NullForm:
			value = []byte("null")
		}
		body = append(append(append(body, name...), ':'), value...)
	}
	return append(body, '}')
}
