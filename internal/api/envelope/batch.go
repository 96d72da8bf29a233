package envelope

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/store/tablestream"
)

// FromBatch decodes a batch from SQS or Kinesis. A record has the same content as a message of an IoT rule:
// an object or an array of objects, which may name their kind in RuleKind. Message.Delivery is the identifier
// of the record in the response, and Origin is the same for each delivery of the record. A record that
// cannot be decoded is a Message with a DecodeError; the error is for a payload that is not a batch.
func FromBatch(source Source, payload []byte, kind string, limit int) ([]Message, error) {
	records, err := batchRecords(source, payload)
	if err != nil {
		return nil, fmt.Errorf("decode the batch from %s: %w", source, err)
	}
	var all []Message
	for _, r := range records {
		messages := FromRule(r.data, r.origin, kind, limit)
		for i := range messages {
			messages[i].Delivery = r.name
		}
		all = append(all, messages...)
	}
	return all, nil
}

// batchRecord is one record of a batch.
type batchRecord struct {
	name   string // identifies the record in the response
	origin string // the same for each delivery, and unique to the record
	data   []byte
}

// batchRecords decodes the records of a batch by the row of its source.
func batchRecords(source Source, payload []byte) ([]batchRecord, error) {
	for _, rule := range sourceRules {
		if rule.source == source && rule.records != nil {
			return rule.records(payload)
		}
	}
	return nil, fmt.Errorf("%w: %s has no batches", ErrUnknownSource, source)
}

func recordsOfSQS(payload []byte) ([]batchRecord, error) {
	var batch events.SQSEvent
	if err := json.Unmarshal(payload, &batch); err != nil {
		return nil, err
	}
	records := make([]batchRecord, len(batch.Records))
	for i, m := range batch.Records {
		records[i] = batchRecord{name: m.MessageId, origin: m.MessageId, data: []byte(m.Body)}
	}
	return records, nil
}

func recordsOfKinesis(payload []byte) ([]batchRecord, error) {
	var batch events.KinesisEvent
	if err := json.Unmarshal(payload, &batch); err != nil {
		return nil, err
	}
	records := make([]batchRecord, len(batch.Records))
	for i, r := range batch.Records {
		records[i] = batchRecord{name: r.Kinesis.SequenceNumber, origin: r.EventID, data: r.Kinesis.Data}
	}
	return records, nil
}

// NewBatchResponse returns the response to a batch whose messages are in batch order.
// failed reports whether message i must be delivered again. SQS delivers each failed record
// again; Kinesis delivers all records from the first failed one on, so only that is named.
func NewBatchResponse(source Source, messages []Message, failed func(i int) bool) tablestream.BatchResponse {
	response := tablestream.FailedFrom()
	named := map[string]bool{}
	for i, m := range messages {
		if named[m.Delivery] || !failed(i) {
			continue
		}
		named[m.Delivery] = true
		again := tablestream.BatchItemFailure{ItemIdentifier: m.Delivery}
		response.BatchItemFailures = append(response.BatchItemFailures, again)
		if source == Kinesis {
			break
		}
	}
	return response
}
