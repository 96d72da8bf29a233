package xray_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/xray"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
)

// BenchmarkArrivals says what tracing adds to the decoding of a batch of 1,000 readings, of which some are
// sampled.
//
//	go test -run '^$' -bench Arrivals ./internal/api/xray
func BenchmarkArrivals(b *testing.B) {
	for _, sampled := range []int{0, 50, 1000} {
		payload := batch(1000, sampled)
		tracer := &xray.Tracer{Function: "aggregate", Now: time.Now, Daemon: io.Discard}
		for name, trace := range map[string]*xray.Tracer{"decoded": nil, "decoded and traced": tracer} {
			b.Run(fmt.Sprintf("%d of 1000/%s", sampled, name), func(b *testing.B) {
				var d tablestream.Decoder
				for b.Loop() {
					decoded, err := d.Decode(payload)
					if err != nil || len(decoded.Traced) != sampled {
						b.Fatalf("%d traced, %v", len(decoded.Traced), err)
					}
					trace.Arrivals(decoded.Traced)(false)
				}
			})
		}
	}
}

// batch has readings, of which the first ones are of one trace.
func batch(n, sampled int) []byte {
	records := make([]string, n)
	for i := range records {
		trace := ""
		if i < sampled {
			trace = `"` + tablekeys.AttrTrace + `":{"S":"Root=` + root + `;Parent=` + lambda + `"},`
		}
		key := fmt.Sprintf(`"pk":{"S":"DEVICE#sensor_01"},"sk":{"S":"EVENT#READING##2026-04-20T14:%02d:%02d.000Z#%d"}`, i/60, i%60, i)
		records[i] = fmt.Sprintf(
			`{"eventID":"e%d","eventName":"INSERT","eventSource":"aws:dynamodb","awsRegion":"eu-west-1",`+
				`"dynamodb":{"ApproximateCreationDateTime":1776693600,"Keys":{%s},"NewImage":{%s"_arrived":{"S":"2026-04-20T14:00:00.000Z"},`+
				`"_hash":{"B":"AAAAAAAAAAAAAAAAAAAAAA=="},"v":{"N":"1"},"temperature":{"N":"22.1"},"humidity":{"N":"41"},%s},"SequenceNumber":"%d"}}`,
			i, key, trace, key, 1000000+i)
	}
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}
