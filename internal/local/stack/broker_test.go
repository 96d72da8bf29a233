package stack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mochi-mqtt/server/v2/packets"
)

// sparkplug is a payload of Sparkplug B without metrics: a time and a sequence number.
const sparkplug = "\x08\x80\xd0\xf8\xf2\xda\x33\x18\x0a"

// device is a client of the broker with one connection.
type device struct{ conn net.Conn }

// connect connects a device and waits until the broker has accepted it.
func connect(t *testing.T, address string) device {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	hello := packets.Packet{ProtocolVersion: 4, FixedHeader: packets.FixedHeader{Type: packets.Connect},
		Connect: packets.ConnectParams{ProtocolName: []byte("MQTT"), Clean: true, ClientIdentifier: t.Name(),
			WillFlag: true, WillQos: 1, WillTopic: "plant7/devices/gone_01/readings",
			WillPayload: []byte(`{"temperature":-1}`)}}
	var buf bytes.Buffer
	if err := hello.ConnectEncode(&buf); err != nil {
		t.Fatal(err)
	}
	if reply, err := (device{conn}).exchange(&buf); err != nil ||
		reply != [4]byte{packets.Connack << 4, 2, 0, 0} {
		t.Fatalf("the broker responded %v, %v; want an accepted connection", reply, err)
	}
	return device{conn}
}

// exchange sends a packet and returns the packet of four bytes that follows.
func (d device) exchange(packet *bytes.Buffer) (reply [4]byte, err error) {
	if _, err = packet.WriteTo(d.conn); err != nil {
		return reply, err
	}
	_, err = io.ReadFull(d.conn, reply[:])
	return reply, err
}

// publish publishes with QoS 1. It returns an error if the message is not acknowledged.
func (d device) publish(topic, payload string) error {
	message := packets.Packet{ProtocolVersion: 4, TopicName: topic, Payload: []byte(payload), PacketID: 7,
		FixedHeader: packets.FixedHeader{Type: packets.Publish, Qos: 1}}
	var buf bytes.Buffer
	if err := message.PublishEncode(&buf); err != nil {
		return err
	}
	reply, err := d.exchange(&buf)
	if err == nil && reply != [4]byte{packets.Puback << 4, 2, 0, 7} {
		return fmt.Errorf("the broker responded %v, want an acknowledgement of packet 7", reply)
	}
	return err
}

func TestBroker_MessagesReachIngestAsByTheRulesOfAWSIoT(t *testing.T) {
	dir := t.TempDir()
	s := startStack(t, func(o *Options) { o.MQTT, o.Dir = "127.0.0.1:0", dir })
	d := connect(t, s.MQTT)
	publish := func(topic, payload string) {
		t.Helper()
		if err := d.publish(topic, payload); err != nil {
			t.Fatalf("%s to %s: %v", payload, topic, err)
		}
	}
	publish("plant7/devices/sensor_01/readings", `{"timestamp":"2026-04-20T14:00:00Z","temperature":1}`)
	publish("plant7/devices/sensor_01/readings/batch",
		`[{"timestamp":"2026-04-20T14:01:00Z","temperature":2},{"timestamp":"2026-04-20T14:02:00Z","temperature":3}]`)
	publish("$aws/rules/tidemark_READING/plant7/devices/sensor_01/readings",
		`{"timestamp":"2026-04-20T14:03:00Z","temperature":4}`)
	s.Function(ingest).KillNext(Responding)
	publish("plant7/devices/sensor_01/readings", `{"timestamp":"2026-04-20T14:04:00Z","temperature":5}`)
	if n := len(s.Function(ingest).Deaths()); n != 1 {
		t.Errorf("%d processes of ingest were killed, want 1", n)
	}
	// A device cannot write for another, whatever it sends.
	publish("plant7/devices/sensor_02/readings",
		`{"tidemark_subject":"sensor_01","deviceId":"sensor_01","timestamp":"2026-04-20T14:05:00Z","temperature":99}`)
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got hours
	get(t, s.URL+"/v1/devices/sensor_01/readings/rollups/hour", &got)
	if len(got.Rollups) != 1 || got.Rollups[0].Measures["temperature"].Count != 5 ||
		got.Rollups[0].Measures["temperature"].Sum != "15" {
		t.Errorf("the hour is %+v, want 5 readings, in all 15", got)
	}

	publish("plant7/devices/sensor_01/orders", `{}`)
	publish("plant7/devices/sensor_01/readings", `22.4 C`)
	publish("spBv1.0/plant7/DDATA/line_1/sensor_01", sparkplug)
	publish("plant7/devices/sensor_01/readings", sparkplug)
	log, err := os.ReadFile(filepath.Join(dir, "logs", "mqtt.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no kind has this topic", "the message is not JSON",
		"topics of Sparkplug B are not read", "it is a payload of Sparkplug B (protobuf): decode it"} {
		if !strings.Contains(string(log), want) {
			t.Errorf("mqtt.log does not have %q:\n%s", want, log)
		}
	}
}

// AWS IoT passes the will of a client on to rules as any message, and takes no payload beyond 128 KiB.
func TestBroker_StoresWillsAndRefusesWhatAWSIoTDoes(t *testing.T) {
	dir := t.TempDir()
	s := startStack(t, func(o *Options) { o.MQTT, o.Dir = "127.0.0.1:0", dir })
	d := connect(t, s.MQTT)
	large := `{"temperature":1,"note":"` + strings.Repeat("x", 128<<10) + `"}`
	if err := d.publish("plant7/devices/sensor_01/readings", large); err == nil {
		t.Error("a message of more than 128 KiB was acknowledged")
	}
	log, err := os.ReadFile(filepath.Join(dir, "logs", "mqtt.log"))
	if err != nil || !strings.Contains(string(log), "AWS IoT takes at most 131072") {
		t.Errorf("%v, %s; want why the message is not stored", err, log)
	}
	connect(t, s.MQTT).conn.Close()
	status := 0
	for end := time.Now().Add(10 * time.Second); status != http.StatusOK && time.Now().Before(end); {
		response, err := http.Get(s.URL + "/v1/devices/gone_01/readings/latest")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		status = response.StatusCode
	}
	if status != http.StatusOK {
		t.Errorf("the latest reading responds %d, want the will of the client", status)
	}
}

func TestBroker_MessageThatWasNotStoredIsNotAcknowledged(t *testing.T) {
	s := startStack(t, func(o *Options) { o.MQTT = "127.0.0.1:0" })
	d := connect(t, s.MQTT)
	s.Function(ingest).Stop()
	err := d.publish("plant7/devices/sensor_01/readings", `{"timestamp":"2026-04-20T14:00:00Z","temperature":1}`)
	if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("publish = %v, want a closed connection", err)
	}
}

func TestStart_BrokerNeedsAFreeAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := startStack(t, nil)
	s.opts.MQTT = taken.Addr().String()
	if err := s.startBroker(); err == nil || !strings.Contains(err.Error(), "pass another address with --mqtt") {
		t.Errorf("startBroker = %v, want what to do", err)
	}
}

// An event keeps its request id when it is invoked again, as in Lambda: it identifies the delivery.
func TestFunction_EventIsInvokedAgainWithItsRequestID(t *testing.T) {
	f, err := StartFunction(t.Context(), played("function"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	if err := f.InvokeEvent(t.Context(), do("fail", "no table")); err == nil ||
		!strings.Contains(err.Error(), "no table") {
		t.Errorf("InvokeEvent = %v, want the error of the last attempt", err)
	}
	log := filepath.Join(t.TempDir(), "ids")
	f.KillNext(Responding)
	if err := f.InvokeEvent(t.Context(), do("id", log)); err != nil {
		t.Fatal(err)
	}
	ids, err := os.ReadFile(log)
	if lines := strings.Fields(string(ids)); err != nil || len(lines) != 2 || lines[0] != lines[1] {
		t.Errorf("the request ids are %v (%v), want one id twice", lines, err)
	}
}
