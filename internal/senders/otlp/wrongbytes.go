package otlp

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// mostNested is how deep texts are escaped: points are six deep, and attributes in lists a few more.
const mostNested = 32

// escapeTexts returns a message whose texts are escaped by points.Escape. A body that is no such message is
// returned as it is.
func escapeTexts(body []byte, of protoreflect.MessageDescriptor, nested int) []byte {
	var escaped []byte
	for rest := body; len(rest) > 0; {
		number, kind, tag := protowire.ConsumeTag(rest)
		if tag < 0 || nested > mostNested {
			return body
		}
		size := protowire.ConsumeFieldValue(number, kind, rest[tag:])
		if size < 0 {
			return body
		}
		field, value := rest[:tag+size], rest[tag:tag+size]
		rest = rest[tag+size:]
		known := of.Fields().ByNumber(number)
		if known == nil || kind != protowire.BytesType {
			escaped = append(escaped, field...)
			continue
		}
		value, _ = protowire.ConsumeBytes(value)
		switch known.Kind() {
		case protoreflect.StringKind:
			value = points.Escape(value)
		case protoreflect.MessageKind:
			value = escapeTexts(value, known.Message(), nested+1)
		}
		escaped = protowire.AppendBytes(protowire.AppendTag(escaped, number, kind), value)
	}
	return escaped
}

// unescape returns the bytes that are not UTF-8 to the points of an escaped body.
func unescape(all []points.Point) {
	for i := range all {
		all[i].Name = points.Unescape(all[i].Name)
		for j, t := range all[i].Tags {
			all[i].Tags[j].Name, all[i].Tags[j].Value = points.Unescape(t.Name), points.Unescape(t.Value)
		}
	}
}
