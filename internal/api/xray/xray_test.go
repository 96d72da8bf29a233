package xray_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/api/xray"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const (
	root   = "1-5759e988-bd862e3fe1be46a994272793"
	lambda = "53995c3f42cd8ad8" // the segment that Lambda sends
)

type segment struct {
	Name     string    `json:"name"`
	ID       string    `json:"id"`
	TraceID  string    `json:"trace_id"`
	ParentID string    `json:"parent_id"`
	Type     string    `json:"type"`
	Start    float64   `json:"start_time"`
	End      float64   `json:"end_time"`
	Fault    bool      `json:"fault"`
	Parts    []segment `json:"subsegments"`
}

// daemon receives documents as X-Ray's daemon does, by UDP.
type daemon struct {
	*testing.T
	net.PacketConn
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &daemon{t, c}
}

func (d *daemon) tracer(function string) *xray.Tracer {
	env := map[string]string{config.EnvTracing: "true", "AWS_XRAY_DAEMON_ADDRESS": d.LocalAddr().String()}
	return xray.FromEnv(func(name string) string { return env[name] }, function)
}

func (d *daemon) next() (s segment) {
	d.Helper()
	buffer := make([]byte, 1<<16)
	if err := d.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		d.Fatal(err)
	}
	n, _, err := d.ReadFrom(buffer)
	if err != nil {
		d.Fatal(err)
	}
	header, document, _ := strings.Cut(string(buffer[:n]), "\n")
	if header != `{"format": "json", "version": 1}` {
		d.Errorf("header %s", header)
	}
	if err := json.Unmarshal([]byte(document), &s); err != nil {
		d.Fatalf("%s: %v", document, err)
	}
	return s
}

// invoked is the context of an invocation with a trace header, as aws-lambda-go makes it.
func invoked(header string) context.Context {
	//lint:ignore SA1029 it is the key of aws-lambda-go
	return context.WithValue(context.Background(), "x-amzn-trace-id", header)
}

// recorder is a DynamoDB that keeps the items of writes.
type recorder struct{ items []map[string]map[string]any }

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	type put struct{ Item map[string]map[string]any }
	var body struct {
		put
		TransactItems []struct{ Put *put }
	}
	_ = json.NewDecoder(request.Body).Decode(&body)
	r.items = append(r.items, body.Item)
	for _, one := range body.TransactItems {
		if one.Put != nil {
			r.items = append(r.items, one.Put.Item)
		}
	}
	fmt.Fprint(w, "{}")
}

func newTable(t *testing.T) (*dynamo.Table, *recorder) {
	t.Helper()
	written := new(recorder)
	server := httptest.NewServer(written)
	t.Cleanup(server.Close)
	client, err := dynamo.NewClient(t.Context(), "local", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return dynamo.New(dynamodb.New(client.Options(), xray.Mark), "t"), written
}

func event() model.Event {
	at, _ := model.ParseTime("2026-11-24T10:00:00Z", model.RejectFinerTime)
	return model.Event{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING"},
		Order: model.Order{At: at}, ArrivedAt: at,
		Attrs: model.Attrs{{Name: "t", Value: model.TextValue("x")}}}
}

// record is a record of the table stream with the attributes of an event.
func record(name string, at float64, attributes any) string {
	image, _ := json.Marshal(attributes)
	return fmt.Sprintf(`{"eventName": %q, "dynamodb": {"ApproximateCreationDateTime": %v, "NewImage": %s}}`,
		name, at, image)
}

func records(all ...string) (raw [][]byte) {
	for _, one := range all {
		raw = append(raw, []byte(one))
	}
	return raw
}

func TestTrace_FromIngestThroughTheStoredEventToAggregate(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	table, written := newTable(t)
	ctx, done := d.tracer("tidemark-prod-ingest").Append(
		invoked("Root=" + root + ";Parent=" + lambda + ";Sampled=1;Lineage=1:a:0"))
	if _, err := table.Append(ctx,
		storage.AppendTransaction{Token: "x", Puts: []model.Event{event()}}); err != nil {
		t.Fatal(err)
	}
	done()
	appended := d.next()
	if appended.Name != "append" || appended.Type != "subsegment" || appended.TraceID != root ||
		appended.ParentID != lambda || appended.End < appended.Start {
		t.Errorf("ingest sent %+v", appended)
	}
	stored := written.items[len(written.items)-1]
	now := float64(time.Now().Unix())
	finish := d.tracer("tidemark-prod-aggregate").Arrivals(
		records(record("INSERT", now-5, stored), record("INSERT", now-7, stored)))
	finish(false)
	folded := d.next()
	if folded.Name != "tidemark-prod-aggregate" || folded.TraceID != root || folded.ParentID != appended.ID ||
		folded.Type != "" || folded.Fault {
		t.Errorf("aggregate sent %+v, want a segment below %s", folded, appended.ID)
	}
	if folded.Start != now-7 || len(folded.Parts) != 2 || folded.Parts[0].Name != "table stream" ||
		folded.Parts[1].Name != "recompute" ||
		folded.Parts[0].End != folded.Parts[1].Start || folded.Parts[1].End != folded.End {
		t.Errorf("parts %+v of %+v", folded.Parts, folded)
	}
	finish(true)
	if failed := d.next(); !failed.Fault || !failed.Parts[1].Fault || failed.Parts[0].Fault {
		t.Errorf("a failed batch is %+v", failed)
	}
}

func TestMark_TracesEventsOfSampledInvocationsOnly(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	for _, c := range []struct {
		header string
		traced bool
	}{
		{"Root=" + root + ";Parent=" + lambda + ";Sampled=1", true},
		{"Root=" + root + ";Parent=" + lambda + ";Sampled=0", false},
		{"Root=" + root, false},
		{"", false},
	} {
		table, written := newTable(t)
		ctx, done := d.tracer("f").Append(invoked(c.header))
		if _, err := table.Put(ctx, event()); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Quarantine(ctx, quarantined()); err != nil {
			t.Fatal(err)
		}
		done()
		if len(written.items) != 2 {
			t.Fatalf("%d items", len(written.items))
		}
		if _, traced := written.items[0][tablekeys.AttrTrace]; traced != c.traced {
			t.Errorf("%q: traced %t, want %t", c.header, traced, c.traced)
		}
		if _, traced := written.items[1][tablekeys.AttrTrace]; traced {
			t.Errorf("%q: an item that is no event is traced", c.header)
		}
	}
}

// A record that is no insertion, has no trace or another form sends nothing, and nor does a stage that is
// not traced.
func TestArrivals_OtherRecordsSendNothing(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	attribute := map[string]any{tablekeys.AttrTrace: map[string]string{"S": "Root=" + root + ";Parent=" +
		lambda}}
	tracer := d.tracer("f")
	for _, one := range []string{
		record("REMOVE", 1, attribute),
		record("MODIFY", 1, attribute),
		record("INSERT", 1, map[string]any{tablekeys.AttrTrace: map[string]string{"S": "Root=x"}}),
		record("INSERT", 1, map[string]any{tablekeys.AttrTrace: 7}),
		record("INSERT", 1, map[string]any{}),
		`{"dynamodb": 7}`,
	} {
		tracer.Arrivals(records(one))(true)
	}
	var none *xray.Tracer
	none.Arrivals(records(record("INSERT", 1, attribute)))(true)
	_, done := none.Append(invoked("Root=" + root + ";Parent=" + lambda + ";Sampled=1"))
	done()
	tracer.Arrivals(records(record("INSERT", 5, attribute)))(false)
	if s := d.next(); s.Start != 5 {
		t.Errorf("%+v was sent before", s)
	}
}

func TestFromEnv_WithoutTracingOrADaemonThereIsNoTracer(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{
		{"AWS_XRAY_DAEMON_ADDRESS": "127.0.0.1:2000"},
		{config.EnvTracing: "true"},
		{config.EnvTracing: "true", "AWS_XRAY_DAEMON_ADDRESS": "nowhere"},
	} {
		if got := xray.FromEnv(func(name string) string { return env[name] }, "f"); got != nil {
			t.Errorf("%v: %+v", env, got)
		}
	}
}

// Neither decoder of events knows the attribute: hash, fields and rollups are the same without it.
func TestTrace_DoesNotChangeTheEvent(t *testing.T) {
	t.Parallel()
	e := event()
	plain, traced := item.FromEvent(&e), item.FromEvent(&e)
	traced[tablekeys.AttrTrace] = item.Value{Type: item.S, S: "Root=" + root + ";Parent=" + lambda}
	want, err := item.Event(plain)
	if err != nil {
		t.Fatal(err)
	}
	got, err := item.Event(traced)
	if err != nil || got.Unreadable || got.Hash != want.Hash || len(got.Attrs) != 1 ||
		!keys.Reserved(tablekeys.AttrTrace) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func quarantined() storage.Quarantined {
	return storage.Quarantined{ID: "x", Reason: "r", Payload: []byte("p")}
}
