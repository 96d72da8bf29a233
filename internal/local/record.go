package local

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// origin has the attributes that all records of a stream share.
type origin struct {
	region string
	arn    string
}

// ttlIdentity is the identity of TTL in Lambda's events.
const ttlIdentity = `,"userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"}`

// appendRecord appends one stream record as in a Lambda event. It does not use encoding/json because
// a run processes some hundred thousand records.
//
// DynamoDB Local reports the removals of its TTL with an event name that the SDK does not know and
// without an identity. They are written in Lambda's form.
func (o origin) appendRecord(b []byte, r *types.Record) []byte {
	name, expired := string(r.EventName), false
	if !slices.Contains(r.EventName.Values(), r.EventName) {
		name, expired = string(types.OperationTypeRemove), true
	}
	b = append(b, `{"eventID":`...)
	b = appendString(b, deref(r.EventID))
	b = append(b, `,"eventName":"`...)
	b = append(b, name...)
	b = append(b, `","eventVersion":`...)
	b = appendString(b, deref(r.EventVersion))
	b = append(b, `,"eventSource":"aws:dynamodb","awsRegion":`...)
	b = appendString(b, o.region)
	if r.Dynamodb != nil {
		b = append(b, `,"dynamodb":`...)
		b = appendImages(b, r.Dynamodb)
	}
	switch {
	case expired:
		b = append(b, ttlIdentity...)
	case r.UserIdentity != nil:
		b = append(b, `,"userIdentity":{"type":`...)
		b = appendString(b, deref(r.UserIdentity.Type))
		b = append(b, `,"principalId":`...)
		b = appendString(b, deref(r.UserIdentity.PrincipalId))
		b = append(b, '}')
	}
	b = append(b, `,"eventSourceARN":`...)
	b = appendString(b, o.arn)
	return append(b, '}')
}

func appendImages(b []byte, r *types.StreamRecord) []byte {
	b = append(b, `{"ApproximateCreationDateTime":`...)
	var at int64
	if r.ApproximateCreationDateTime != nil {
		at = r.ApproximateCreationDateTime.Unix()
	}
	b = strconv.AppendInt(b, at, 10)
	for _, image := range [...]struct {
		name string
		item map[string]types.AttributeValue
	}{{"Keys", r.Keys}, {"NewImage", r.NewImage}, {"OldImage", r.OldImage}} {
		if len(image.item) > 0 {
			b = append(b, `,"`+image.name+`":`...)
			b = appendItem(b, image.item)
		}
	}
	b = append(b, `,"SequenceNumber":`...)
	b = appendString(b, deref(r.SequenceNumber))
	b = append(b, `,"SizeBytes":`...)
	b = strconv.AppendInt(b, derefSize(r.SizeBytes), 10)
	b = append(b, `,"StreamViewType":`...)
	b = appendString(b, string(r.StreamViewType))
	return append(b, '}')
}

// appendItem writes attributes sorted by name, so that equal records have equal bytes.
func appendItem(b []byte, item map[string]types.AttributeValue) []byte {
	var buffer [32]string
	names := slices.AppendSeq(buffer[:0], maps.Keys(item))
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, name)
		b = append(b, ':')
		b = appendValue(b, item[name])
	}
	return append(b, '}')
}

func appendValue(b []byte, v types.AttributeValue) []byte {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		b = appendString(append(b, `{"S":`...), v.Value)
	case *types.AttributeValueMemberN:
		b = appendString(append(b, `{"N":`...), v.Value)
	case *types.AttributeValueMemberB:
		b = appendBinary(append(b, `{"B":`...), v.Value)
	case *types.AttributeValueMemberBOOL:
		b = strconv.AppendBool(append(b, `{"BOOL":`...), v.Value)
	case *types.AttributeValueMemberNULL:
		b = strconv.AppendBool(append(b, `{"NULL":`...), v.Value)
	case *types.AttributeValueMemberM:
		b = appendItem(append(b, `{"M":`...), v.Value)
	case *types.AttributeValueMemberL:
		b = appendList(append(b, `{"L":`...), v.Value, appendValue)
	case *types.AttributeValueMemberSS:
		b = appendList(append(b, `{"SS":`...), v.Value, appendString)
	case *types.AttributeValueMemberNS:
		b = appendList(append(b, `{"NS":`...), v.Value, appendString)
	case *types.AttributeValueMemberBS:
		b = appendList(append(b, `{"BS":`...), v.Value, appendBinary)
	default: // an unknown type: written as an empty object, which differs from null
		b = append(b, '{')
	}
	return append(b, '}')
}

func appendList[T any](b []byte, list []T, one func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, v)
	}
	return append(b, ']')
}

func appendBinary(b, value []byte) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, value)
	return append(b, '"')
}

// appendString writes a JSON string. Strings that need escaping use encoding/json.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			escaped, _ := json.Marshal(s) // a string always has a JSON form
			return append(b, escaped...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func derefSize(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// LambdaRecord returns a record of a stream as in the Records of Lambda's event.
func LambdaRecord(region, arn string, r *types.Record) []byte {
	return origin{region: region, arn: arn}.appendRecord(nil, r)
}
