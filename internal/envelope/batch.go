package envelope

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
)

// FromBatch reads a batch of the SQS or the Kinesis door. A record holds what an IoT
// rule's message holds: an object or an array of them, which may name their kind by
// RuleKind. A Message's Delivery is its record, by the name that a BatchAnswer wants;
// its origin is the same whenever that record comes again. What cannot be read of a
// record is a Message with a Flaw; the error is a batch that is none.
func FromBatch(door Door, payload []byte, kind string, limit int) ([]Message, error) {
	records, err := batchRecords[door](payload)
	if err != nil {
		return nil, fmt.Errorf("read the batch of %s: %w", door, err)
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
	name   string // by which the answer calls it
	origin string // the same at every delivery, and of no other record
	data   []byte
}

var batchRecords = map[Door]func([]byte) ([]batchRecord, error){SQS: queued, Kinesis: streamed}

func queued(payload []byte) ([]batchRecord, error) {
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

func streamed(payload []byte) ([]batchRecord, error) {
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

// BatchAnswer says which records of a batch must come again; the others are settled.
type BatchAnswer struct {
	BatchItemFailures []BatchItemFailure `json:"batchItemFailures"` // empty, never null, where all is settled
}

// BatchItemFailure names one record.
type BatchItemFailure struct {
	ItemIdentifier string `json:"itemIdentifier"`
}

// BatchAnswerOf is the answer to a batch of which some messages are open, given in
// the batch's order. A queue's messages come again one by one; of a data stream
// everything from the first one on does, so that alone is named.
func BatchAnswerOf(door Door, messages []Message, open func(place int) bool) BatchAnswer {
	answer := BatchAnswer{BatchItemFailures: []BatchItemFailure{}}
	named := map[string]bool{}
	for i, m := range messages {
		if named[m.Delivery] || !open(i) {
			continue
		}
		named[m.Delivery] = true
		answer.BatchItemFailures = append(answer.BatchItemFailures, BatchItemFailure{m.Delivery})
		if door == Kinesis {
			break
		}
	}
	return answer
}
