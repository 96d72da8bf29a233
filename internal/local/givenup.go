package local

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/tidemark-db/tidemark/internal/eventsource"
)

// failureFile replaces the on-failure queue. Each range of the table stream that is given up is one
// line, in the format of Lambda's message.
type failureFile struct {
	path string

	mu    sync.Mutex
	count int // guarded by mu, as is the file
}

type failureMessage struct {
	RequestContext struct {
		Condition              string `json:"condition"`
		ApproximateInvokeCount int    `json:"approximateInvokeCount"`
	} `json:"requestContext"`
	Version   string `json:"version"`
	Timestamp string `json:"timestamp"`
	Batch     struct {
		ShardID   string `json:"shardId"`
		First     string `json:"startSequenceNumber"`
		Last      string `json:"endSequenceNumber"`
		FirstAt   string `json:"approximateArrivalOfFirstRecord"`
		LastAt    string `json:"approximateArrivalOfLastRecord"`
		Size      int    `json:"batchSize"`
		StreamARN string `json:"streamArn"`
	} `json:"DDBStreamBatchInfo"`
}

// add appends one given-up range.
func (f *failureFile) add(_ context.Context, g eventsource.GivenUp) error {
	m := failureMessage{Version: "1.0", Timestamp: g.At.String()}
	m.RequestContext.Condition, m.RequestContext.ApproximateInvokeCount = g.Condition, g.Invokes
	m.Batch.ShardID, m.Batch.StreamARN, m.Batch.Size = g.Shard, g.Stream, g.Records
	m.Batch.First, m.Batch.Last = g.First, g.Last
	m.Batch.FirstAt, m.Batch.LastAt = g.FirstAt.String(), g.LastAt.String()
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the on-failure file: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	return f.write(append(line, '\n'))
}

func (f *failureFile) write(line []byte) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return fmt.Errorf("write the on-failure file: %w", err)
	}
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the on-failure file: %w", err)
	}
	_, err = file.Write(line)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("write the on-failure file: %w", err)
	}
	return nil
}

func (f *failureFile) ranges() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}
