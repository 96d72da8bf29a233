// Package tablestream decodes batches of the table's stream into typed changes, and encodes the responses to
// them.
package tablestream

import "github.com/tidemark-db/tidemark/internal/base/lists"

// BatchResponse names the records that must be delivered again. All others are processed.
type BatchResponse struct {
	// BatchItemFailures is never nil; it is empty if all records are processed.
	BatchItemFailures []BatchItemFailure `json:"batchItemFailures"`
}

// BatchItemFailure names one record.
type BatchItemFailure struct {
	ItemIdentifier string `json:"itemIdentifier"`
}

// FailedFrom returns the response to a batch of a stream, which Lambda delivers again from the named
// record on. Without a name all records are processed.
func FailedFrom(names ...string) BatchResponse {
	failure := func(name string) BatchItemFailure { return BatchItemFailure{ItemIdentifier: name} }
	return BatchResponse{lists.Map(names, failure)}
}
