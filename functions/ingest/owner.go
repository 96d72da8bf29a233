package main

import (
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// codeForeign marks an observation of a subject that its sender does not own.
const codeForeign = "foreign-subject"

// flagForeign has every observation rejected that names, in field, a subject out of
// the owner's reach. What names no subject is left to admission, which rejects it.
func flagForeign(observations []ingest.Observation, field string, owner envelope.Owner) {
	for i := range observations {
		for _, f := range observations[i].Fields {
			if f.Name == field && f.Form == ingest.TextForm && !owner.Owns(f.Text) {
				observations[i].Flaw = &model.FieldError{Field: field, Code: codeForeign, Message: owner.Refusal(f.Text)}
			}
		}
	}
}
