package otlp

import (
	"fmt"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// onlyKnown returns an error that names a part of a decoded body that the protocol does not have. Such parts
// are skipped, as the protocol has it, but a body of nothing else is of another protocol or signal, whose
// sender must not take it for stored.
func onlyKnown(body []byte, asJSON bool) error {
	var data metrics.MetricsData
	if asJSON {
		return protojson.Unmarshal(body, &data)
	}
	return unknownField(body, data.ProtoReflect().Descriptor(), 0)
}

// unknownField returns an error that names the first field of a message that its type does not have. It reads
// the bytes, because a message in memory takes a hundred times as much.
func unknownField(body []byte, of protoreflect.MessageDescriptor, nested int) error {
	for rest := body; len(rest) > 0 && nested <= mostNested; {
		number, kind, tag := protowire.ConsumeTag(rest)
		if tag < 0 {
			return protowire.ParseError(tag)
		}
		size := protowire.ConsumeFieldValue(number, kind, rest[tag:])
		if size < 0 {
			return protowire.ParseError(size)
		}
		value := rest[tag : tag+size]
		rest = rest[tag+size:]
		known := of.Fields().ByNumber(number)
		if known == nil {
			return fmt.Errorf("a field %d, which %s does not have", number, of.Name())
		}
		if known.Kind() != protoreflect.MessageKind || kind != protowire.BytesType {
			continue
		}
		value, _ = protowire.ConsumeBytes(value)
		if err := unknownField(value, known.Message(), nested+1); err != nil {
			return err
		}
	}
	return nil
}
