package otlp

import (
	"encoding/json"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Response is the body of ExportMetricsServiceResponse: without content if there is nothing to say.
func Response(asJSON bool, rejected int, message string) string {
	if rejected == 0 && message == "" {
		if asJSON {
			return "{}"
		}
		return ""
	}
	if asJSON {
		return encode(map[string]any{"partialSuccess": map[string]string{
			"rejectedDataPoints": strconv.Itoa(rejected), "errorMessage": message,
		}})
	}
	partial := protowire.AppendTag(nil, 1, protowire.VarintType)
	partial = protowire.AppendVarint(partial, uint64(rejected))
	partial = protowire.AppendTag(partial, 2, protowire.BytesType)
	partial = protowire.AppendString(partial, message)
	body := protowire.AppendTag(nil, 1, protowire.BytesType)
	return string(protowire.AppendBytes(body, partial))
}

// Status is the body of a failed request, google.rpc.Status. Its code is gRPC's.
func Status(asJSON bool, code int, message string) string {
	if asJSON {
		return encode(map[string]any{"code": code, "message": message})
	}
	body := protowire.AppendTag(nil, 1, protowire.VarintType)
	body = protowire.AppendVarint(body, uint64(code))
	body = protowire.AppendTag(body, 2, protowire.BytesType)
	return string(protowire.AppendString(body, message))
}

func encode(body any) string {
	text, _ := json.Marshal(body) // texts and numbers cannot fail
	return string(text)
}
