package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// rules are a hook of an MQTT broker: they pass messages on to ingest as the rules of AWS IoT do. A
// message with QoS 1 is acknowledged when ingest has stored or quarantined it. Otherwise its client
// is disconnected, and sends it again when it has connected again.
type rules struct {
	mqtt.HookBase
	ctx    context.Context // ends deliveries
	kinds  *catalog.Catalog
	ingest *Function
	log    *slog.Logger
	now    func() time.Time
}

// startBroker starts an MQTT broker at opts.MQTT, without authentication.
func (s *Stack) startBroker() error {
	if s.opts.MQTT == "" {
		return nil
	}
	kinds, err := s.opts.Config.Catalog()
	if err != nil {
		return err
	}
	out, err := s.openLog("mqtt")
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, nil))
	server := mqtt.New(&mqtt.Options{Logger: log})
	listener := listeners.NewTCP(listeners.Config{ID: "mqtt", Address: s.opts.MQTT})
	hook := &rules{ctx: s.ctx, kinds: kinds, ingest: s.functions[ingest], log: log, now: s.opts.Clock.Now}
	err = errors.Join(server.AddHook(hook, nil),
		server.AddListener(listener), server.Serve())
	if err != nil {
		return fmt.Errorf("start the MQTT broker: %w: pass another address with --mqtt", err)
	}
	s.MQTT = listener.Address()
	s.running.Go(func() {
		<-s.ctx.Done()
		server.Close()
	})
	return nil
}

// Provides reports which methods of mqtt.Hook are implemented.
func (r *rules) Provides(method byte) bool {
	return method == mqtt.OnConnectAuthenticate || method == mqtt.OnACLCheck || method == mqtt.OnPublish ||
		method == mqtt.OnWillSent
}

// OnConnectAuthenticate accepts every client.
func (r *rules) OnConnectAuthenticate(*mqtt.Client, packets.Packet) bool { return true }

// OnACLCheck accepts every topic.
func (r *rules) OnACLCheck(*mqtt.Client, string, bool) bool { return true }

// OnWillSent passes on the message that a client left for the case that its connection ends.
func (r *rules) OnWillSent(client *mqtt.Client, message packets.Packet) {
	_, _ = r.OnPublish(client, message) // an error is in the log: no client waits
}

// mostPayload is the greatest payload that AWS IoT accepts, in bytes. It disconnects a client that sends
// more.
const mostPayload = 128 << 10

// OnPublish passes a message on before it is acknowledged.
func (r *rules) OnPublish(client *mqtt.Client, message packets.Packet) (packets.Packet, error) {
	log := r.log.With("topic", message.TopicName, "client", client.ID)
	if n := len(message.Payload); n > mostPayload {
		err := fmt.Errorf("it has %d bytes, and AWS IoT takes at most %d: send smaller ones", n, mostPayload)
		log.Error("message not stored", "error", err)
		client.Stop(err)
		return message, packets.ErrRejectPacket
	}
	topic, ok := envelope.FindTopic(r.kinds, message.TopicName)
	if !ok {
		log.Warn(envelope.NoKind(message.TopicName))
		return message, nil
	}
	encoded := topic.Batch || topic.Source != ""
	payload, err := envelope.ByRule(message.Payload, topic.Kind.Name, topic.Subject, encoded)
	if err != nil {
		log.Error("message not stored", "error", err)
		return message, nil
	}
	payload = envelope.Arrived(payload, topic.Source, r.now())
	if err := r.ingest.InvokeEvent(r.ctx, payload); err != nil {
		log.Error("message not stored: the client must send it again", "error", err)
		client.Stop(err)
		return message, packets.ErrRejectPacket
	}
	return message, nil
}
