package otlp

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	common "go.opentelemetry.io/proto/otlp/common/v1"
)

// attributeText returns the value of an attribute as text: of a list or a map its JSON, of bytes
// their Base64, and "" of no value. Equal values have equal texts, so that a series keeps its name.
func attributeText(of *common.AnyValue) string {
	switch v := of.GetValue().(type) {
	case nil:
		return ""
	case *common.AnyValue_StringValue:
		return v.StringValue
	case *common.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue)
	case *common.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10)
	case *common.AnyValue_DoubleValue:
		return float(v.DoubleValue)
	case *common.AnyValue_BytesValue:
		return base64.StdEncoding.EncodeToString(v.BytesValue)
	case *common.AnyValue_ArrayValue, *common.AnyValue_KvlistValue:
		return jsonText(jsonValue(of))
	}
	return ""
}

func jsonText(v any) string {
	text, _ := json.Marshal(v) // texts, whole numbers, booleans, and lists and maps of them cannot fail
	return string(text)
}

// jsonValue returns a value for encoding/json. Floating-point numbers are texts, because JSON has no NaN.
func jsonValue(of *common.AnyValue) any {
	switch v := of.GetValue().(type) {
	case *common.AnyValue_ArrayValue:
		list := []any{}
		for _, x := range v.ArrayValue.GetValues() {
			list = append(list, jsonValue(x))
		}
		return list
	case *common.AnyValue_KvlistValue:
		members := map[string]any{}
		for _, x := range v.KvlistValue.GetValues() {
			members[x.Key] = jsonValue(x.GetValue())
		}
		return members
	case *common.AnyValue_BoolValue:
		return v.BoolValue
	case *common.AnyValue_IntValue:
		return v.IntValue
	}
	return attributeText(of)
}
