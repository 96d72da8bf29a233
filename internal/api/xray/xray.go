// Package xray follows sampled observations in AWS X-Ray: from ingest, through an attribute of the stored
// event, to aggregate. It sends documents to the daemon that Lambda runs beside a traced function. Nothing
// waits for the daemon, and nothing fails without it.
package xray

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"regexp"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// Tracer sends documents of one function; nil sends none.
type Tracer struct {
	Function string
	Now      func() time.Time
	Daemon   io.Writer
}

// FromEnv returns the tracer of a function of a traced stage, nil of any other.
func FromEnv(getenv func(string) string, function string) *Tracer {
	if getenv(config.EnvTracing) == "" {
		return nil
	}
	daemon, err := net.Dial("udp", getenv("AWS_XRAY_DAEMON_ADDRESS"))
	if err != nil {
		return nil
	}
	return &Tracer{Function: function, Now: time.Now, Daemon: daemon}
}

// form is the form of a header, and of the attribute of an event, which has no third part.
var form = regexp.MustCompile(`^Root=(1-[0-9a-f]{8}-[0-9a-f]{24});Parent=([0-9a-f]{16})(;Sampled=1)?`)

func (t *Tracer) seconds() float64 { return float64(t.Now().UnixMicro()) / 1e6 }

// send sends a part of a trace, which is lost if the daemon does not receive it.
func (t *Tracer) send(trace, parent string, document map[string]any) {
	document["trace_id"], document["parent_id"] = trace, parent
	text, _ := json.Marshal(document) // it has texts and numbers only
	_, _ = t.Daemon.Write(append([]byte("{\"format\": \"json\", \"version\": 1}\n"), text...))
}

// part is a document of its own, or within another one.
func part(name string, from, to float64, fault bool) map[string]any {
	id := strconv.FormatUint(rand.Uint64()|1<<63, 16) // 16 digits
	return map[string]any{"name": name, "id": id, "start_time": from, "end_time": to, "fault": fault}
}

type contextKey struct{}

// Append returns the context in which the events of an invocation are stored with its trace, if that
// is sampled. The caller calls done when they are stored.
func (t *Tracer) Append(ctx context.Context) (_ context.Context, done func()) {
	if t == nil {
		return ctx, func() {}
	}
	header, _ := ctx.Value("x-amzn-trace-id").(string)
	m := form.FindStringSubmatch(header)
	if m == nil || m[3] == "" {
		return ctx, func() {}
	}
	own := part("append", t.seconds(), 0, false)
	return context.WithValue(ctx, contextKey{}, "Root="+m[1]+";Parent="+own["id"].(string)), func() {
		own["type"], own["end_time"] = "subsegment", t.seconds() // of the segment that Lambda sends
		t.send(m[1], m[2], own)
	}
}

// Arrivals sends a segment for each trace of the inserted events among records of the table stream: the way
// through the stream, and the recomputation until done is called.
func (t *Tracer) Arrivals(records [][]byte) (done func(fault bool)) {
	if t == nil {
		return func(bool) {}
	}
	first, begun := map[[2]string]float64{}, t.seconds()
	for _, record := range records {
		var r struct {
			EventName string
			Dynamodb  struct {
				ApproximateCreationDateTime float64
				NewImage                    map[string]json.RawMessage
			}
		}
		var stored struct{ S string }
		_ = json.Unmarshal(record, &r) // another form is no trace
		_ = json.Unmarshal(r.Dynamodb.NewImage[tablekeys.AttrTrace], &stored)
		if m := form.FindStringSubmatch(stored.S); m != nil && r.EventName == "INSERT" {
			at, known := first[[2]string(m[1:3])]
			if now := r.Dynamodb.ApproximateCreationDateTime; !known || now < at {
				first[[2]string(m[1:3])] = now
			}
		}
	}
	return func(fault bool) {
		end := t.seconds()
		for s, at := range first {
			own := part(t.Function, at, end, fault)
			own["subsegments"] = []any{part("table stream", at, begun, false), part("recompute", begun, end, fault)}
			t.send(s[0], s[1], own)
		}
	}
}
