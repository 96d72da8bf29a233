package otlp

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// scopePrefix begins the names of the tags of a scope, as OpenTelemetry names them in formats without scopes.
const scopePrefix = "otel.scope."

// sharedTags returns what the points of a scope have in common: the attributes of their resource, and the
// name, version and attributes of their scope, together at most limit attributes: each point copies them.
// wrong is why they do not tell which resource or scope it is.
func sharedTags(
	r *resource.Resource, s *common.InstrumentationScope, limit int,
) (tags []points.Tag, wrong string) {
	if n := len(r.GetAttributes()) + len(s.GetAttributes()); n > limit {
		return nil, fmt.Sprintf("of a resource and a scope with %d attributes: send at most %d", n, limit)
	}
	tags, wrong = attributeTags(r.GetAttributes(), points.Tag{Resource: true})
	for _, t := range []points.Tag{
		{Name: scopePrefix + "name", Value: s.GetName(), Resource: true},
		{Name: scopePrefix + "version", Value: s.GetVersion(), Resource: true},
	} {
		if t.Value != "" {
			tags = append(tags, t)
		}
	}
	scope, wrongScope := attributeTags(s.GetAttributes(), points.Tag{Name: scopePrefix, Resource: true})
	return append(tags, scope...), cmp.Or(wrong, wrongScope)
}

// attributeTags returns attributes as tags, whose names begin as the one of like. wrong is why they do not
// tell a series: a key must be of one attribute.
func attributeTags(attributes []*common.KeyValue, like points.Tag) (tags []points.Tag, wrong string) {
	for _, a := range attributes {
		t := like
		t.Name += a.Key
		t.Value = attributeText(a.GetValue())
		switch {
		case a.Key == "":
			wrong = "with an attribute without a key: send its key"
		case slices.ContainsFunc(tags, func(other points.Tag) bool { return other.Name == t.Name }):
			wrong = fmt.Sprintf("with the attribute %.64q twice: send it once", a.Key)
		case repeats(a.GetValue()):
			wrong = fmt.Sprintf("with the attribute %.64q, a map that has a key twice: send it once", a.Key)
		}
		tags = append(tags, t)
	}
	return tags, wrong
}

// repeats reports whether a map in a value has a key twice. Its text would have one of the two values, as the
// text of another series may have.
func repeats(of *common.AnyValue) bool {
	members := of.GetKvlistValue().GetValues()
	keys := map[string]bool{}
	for _, m := range members {
		keys[m.Key] = true
	}
	return len(keys) < len(members) || slices.ContainsFunc(of.GetArrayValue().GetValues(), repeats) ||
		slices.ContainsFunc(members, func(m *common.KeyValue) bool { return repeats(m.GetValue()) })
}

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
