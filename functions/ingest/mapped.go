package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/messages"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// mapped returns the messages, and in place of a message of a source the observations that its row makes of
// it.
func (h *handler) mapped(given []envelope.Message) (all []envelope.Message) {
	for i := range given {
		m := &given[i]
		if m.DecodeError != nil && m.DecodeError.Code == ingest.CodeUnmapped {
			all = append(all, h.bySource(m)...)
		} else {
			all = append(all, *m)
		}
	}
	return all
}

// bySource returns the observations of a message of a source. What a rule decided about the sender holds for
// each of them; a time that the message lacks is its arrival.
func (h *handler) bySource(m *envelope.Message) []envelope.Message {
	var found []points.Point
	row, err := h.mapping.Named(m.Source)
	if err != nil {
		found = []points.Point{points.Invalid(1, points.CodeNoMapping, err.Error())}
	} else if found, err = messages.Decode(m.Raw, messages.Options{
		Source: m.Source, Row: row, Now: h.arrival(m), Points: h.appends.Limits.Observations,
	}); err != nil {
		found = []points.Point{points.Invalid(1, ingest.CodeNotJSON, err.Error())}
	}
	all := make([]envelope.Message, len(found))
	for i := range found {
		kind, o := h.mapping.Observation(&found[i], m.Subject)
		own := *m
		own.Observation = o
		own.Payload = m.Payload
		if m.Origin != "" {
			own.Origin = m.Origin + "/" + strconv.Itoa(i)
		}
		if kind != nil {
			own.Kind = kind.Name
			own.Payload = points.Encode(kind, o)
		}
		if m.Sender.Kind != "" {
			own.Kind = m.Sender.Kind
		}
		if m.Sender.Subject != "" {
			own.Subject = m.Sender.Subject
		}
		all[i] = own
	}
	return all
}

// arrival returns when a message arrived: as its rule says, so that it is the same in each delivery, or now.
func (h *handler) arrival(m *envelope.Message) time.Time {
	if ms, err := strconv.ParseInt(m.Arrived, 10, 64); err == nil {
		return time.UnixMilli(ms)
	}
	return h.service.Now().Time()
}

// arrived gives a single message of a device without a time the time of its arrival.
func arrived(kind *catalog.Kind, m envelope.Message) ingest.Observation {
	o := m.Observation
	isTime := func(f ingest.Field) bool { return f.Name == catalog.TimeField }
	if m.Arrived == "" || o.DecodeError != nil || kind.OrderBy != "" || slices.ContainsFunc(o.Fields, isTime) {
		return o
	}
	at := ingest.Field{Name: catalog.TimeField, Form: ingest.NumberForm, Text: m.Arrived}
	o.Fields = append(slices.Clip(o.Fields), at)
	return o
}
