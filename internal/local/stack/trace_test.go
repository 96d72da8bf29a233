package stack

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// segment is a document for the daemon of X-Ray.
type segment struct {
	Name     string    `json:"name"`
	ID       string    `json:"id"`
	TraceID  string    `json:"trace_id"`
	ParentID string    `json:"parent_id"`
	Fault    bool      `json:"fault"`
	Parts    []segment `json:"subsegments"`
}

// A trace goes from ingest, through the stored event and its record of the table stream, to aggregate, with
// the functions that deploy and a daemon that receives what they send.
func TestTrace_GoesFromIngestThroughTheItemToAggregate(t *testing.T) {
	daemon, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer daemon.Close()
	next := func() (s segment) {
		t.Helper()
		buffer := make([]byte, 1<<16)
		if err := daemon.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		n, _, err := daemon.ReadFrom(buffer)
		if err != nil {
			t.Fatal(err)
		}
		_, document, _ := strings.Cut(string(buffer[:n]), "\n")
		if err := json.Unmarshal([]byte(document), &s); err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		return s
	}
	delivered := make(chan []byte, 100)
	s := startStack(t, func(o *Options) { o.Tap = func(payload []byte) { delivered <- payload } })
	binaries, err := FindBinaries(t.Context(), "", ingest, aggregate)
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]*Function{}
	for name, binary := range binaries {
		f, err := StartFunction(t.Context(),
			FunctionOptions{Name: "tidemark-" + name, Binary: binary, Env: append(Environment(s.Endpoint, s.Table, ""),
				config.EnvTracing+"=true", "AWS_XRAY_DAEMON_ADDRESS="+daemon.LocalAddr().String())})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.Stop)
		functions[name] = f
	}
	if resp, text := send(t, "POST", startFront(t, functions[ingest], nil)+"/v1/readings", "application/json",
		[]byte(`{"deviceId":"a","timestamp":"2026-11-02T10:00:00Z","temperature":1}`)); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", resp.Status, text)
	}
	appended := next()
	if appended.Name != "append" || !strings.HasPrefix(appended.TraceID, "1-") || appended.Fault {
		t.Errorf("ingest sent %+v", appended)
	}
	for payload := range delivered {
		if !strings.Contains(string(payload), tablekeys.AttrTrace) {
			continue // a heartbeat
		}
		if _, err := functions[aggregate].Invoke(t.Context(), payload); err != nil {
			t.Fatal(err)
		}
		break
	}
	folded := next()
	if folded.Name != "tidemark-aggregate" || folded.TraceID != appended.TraceID ||
		folded.ParentID != appended.ID || folded.Fault || len(folded.Parts) != 2 {
		t.Errorf("aggregate sent %+v, want a segment of %s below %s", folded, appended.TraceID, appended.ID)
	}
}
