//go:build goexperiment.jsonv2

package tablestream_test

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/tablestream"
)

// BenchmarkDecode compares the stream decoder, which returns typed changes, with
// encoding/json/jsontext reading only the tokens of the same batch.
//
//	GOEXPERIMENT=jsonv2 go test -run '^$' -bench Decode ./internal/store/tablestream
func BenchmarkDecode(b *testing.B) {
	payload := readings(1000)
	b.Run("jsonscan, typed changes", func(b *testing.B) {
		var d tablestream.Decoder
		for b.Loop() {
			if batch, err := d.Decode(payload); err != nil || len(batch.Changes) != 1000 {
				b.Fatalf("%d changes, %v", len(batch.Changes), err)
			}
		}
	})
	b.Run("jsontext, tokens", func(b *testing.B) {
		d := jsontext.NewDecoder(bytes.NewReader(payload))
		for b.Loop() {
			d.Reset(bytes.NewReader(payload))
			for {
				if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// readings returns a batch of n inserted readings with three measures.
func readings(n int) []byte {
	records := make([]string, n)
	for i := range records {
		at := fmt.Sprintf("2026-04-20T14:%02d:%02d.000Z", i/60%60, i%60)
		records[i] = fmt.Sprintf(
			`{"eventID":"e%d","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"eu-west-1",`+
				`"dynamodb":{"ApproximateCreationDateTime":1776693600,"Keys":{"sk":{"S":"EVENT#READING##%[2]s#%[1]d"},"pk":{"S":"DEVICE#sensor_01"}},`+
				`"NewImage":{"_arrived":{"S":"%[2]s"},"_hash":{"B":"AAAAAAAAAAAAAAAAAAAAAA=="},"v":{"N":"1"},"expiresAt":{"N":"1779285600"},`+
				`"temperature":{"N":"22.%[1]d"},"humidity":{"N":"41"},"battery":{"N":"87"},"sk":{"S":"EVENT#READING##%[2]s#%[1]d"},"pk":{"S":"DEVICE#sensor_01"}},`+
				`"SequenceNumber":"%[3]d","SizeBytes":300,"StreamViewType":"NEW_AND_OLD_IMAGES"},`+
				`"eventSourceARN":"arn:aws:dynamodb:eu-west-1:123456789012:table/t/stream/2026-01-01T00:00:00.000"}`, i, at, 1000000+i)
	}
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}
