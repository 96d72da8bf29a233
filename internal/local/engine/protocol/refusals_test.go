package protocol_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The texts are those that DynamoDB itself has returned, as recorded in tests/tier3 of
// github.com/nubo-db/dynamodb-conformance. DynamoDB Local has others for some.
func TestServer_RefusesWithTheTextsOfDynamoDB(t *testing.T) {
	endpoint := enginetest.Start(t, func() model.Time { return model.Time(1_795_000_000_000) }).Endpoint
	put := func(table string) object {
		return object{"TableName": table, "Item": object{"pk": object{"S": "a"}, "sk": object{"S": "a"}}}
	}
	create := func(table string, change object) object {
		body := object{"TableName": table, "BillingMode": "PAY_PER_REQUEST",
			"KeySchema":            []any{object{"AttributeName": "pk", "KeyType": "HASH"}},
			"AttributeDefinitions": []any{object{"AttributeName": "pk", "AttributeType": "S"}}}
		for name, v := range change {
			body[name] = v
		}
		return body
	}
	index := object{"IndexName": "twice", "Projection": object{"ProjectionType": "ALL"},
		"KeySchema": []any{object{"AttributeName": "pk", "KeyType": "HASH"}}}
	keys := func(elements ...string) (all []any) {
		for _, e := range elements {
			name, typ, _ := strings.Cut(e, " ")
			all = append(all, object{"AttributeName": name, "KeyType": typ})
		}
		return all
	}
	at := func(parameter, value, constraint string) string {
		return "1 validation error detected: Value '" + value + "' at '" + parameter +
			"' failed to satisfy constraint: " + constraint
	}
	const atLeast = "Member must have length greater than or equal to "
	long := strings.Repeat("a", 256)
	for _, c := range []struct {
		operation string
		body      object
		want      string
	}{
		{"PutItem", put(""), at("tableName", "", atLeast+"1")},
		{"PutItem", put("bad table!@#"), at("tableName", "bad table!@#",
			"Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")},
		{"PutItem", put(long), at("tableName", long, "Member must have length less than or equal to 255")},
		{"PutItem", put("no-such-table"), "Requested resource not found"},
		{"DescribeTable", object{"TableName": "no-such-table"},
			"Requested resource not found: Table: no-such-table not found"},
		{"CreateTable", create("ab", nil), at("tableName", "ab", atLeast+"3")},
		{"CreateTable", create("refused", object{"KeySchema": keys("pk HASH", "pk RANGE")}),
			"Invalid KeySchema: Some index key attribute have no definition"},
		{"CreateTable", create("refused", object{"KeySchema": keys("pk HASH", "a RANGE", "b RANGE")}),
			at("keySchema", "[KeySchemaElement(attributeName=pk, keyType=HASH), "+
				"KeySchemaElement(attributeName=a, keyType=RANGE), "+
				"KeySchemaElement(attributeName=b, keyType=RANGE)]",
				"Member must have length less than or equal to 2")},
		{"CreateTable", create("refused", object{"KeySchema": keys("pk INVALID")}),
			at("keySchema.1.member.keyType", "INVALID", "Member must satisfy enum value set: [HASH, RANGE]")},
		{"CreateTable", create("refused", object{
			"AttributeDefinitions": []any{object{"AttributeName": "pk", "AttributeType": "INVALID"}}}),
			at("attributeDefinitions.1.member.attributeType", "INVALID",
				"Member must satisfy enum value set: [B, N, S]")},
		{"CreateTable", create("refused", object{"GlobalSecondaryIndexes": []any{index, index}}),
			"One or more parameter values were invalid: Duplicate index name: twice"},
		{"BatchGetItem", object{"RequestItems": object{}},
			"The requestItems parameter is required for BatchGetItem"},
		{"BatchWriteItem", object{"RequestItems": object{}},
			"The requestItems parameter is required for BatchWriteItem"},
		{"TransactWriteItems", object{"TransactItems": []any{}}, at("transactItems", "[]", atLeast+"1")},
	} {
		got := send(t, endpoint, exchange{target: "DynamoDB_20120810." + c.operation, body: c.body})
		if got.status != 400 || got.message != c.want {
			t.Errorf("%s %v: %d %s %q, want %q", c.operation, c.body, got.status, got.code, got.message,
				c.want)
		}
	}
}

// A set is as large as its elements, so an item with one may be too large.
func TestTyped_HasTheSizeOfItsElements(t *testing.T) {
	for text, want := range map[string]int{
		`{"SS":["abc","de"]}`:                           5,
		`{"NS":["1","23"]}`:                             2,
		`{"BS":["AQIDBAUG","AQ=="]}`:                    7,
		`{"L":[{"SS":["abc"]},{"B":"AQID"}]}`:           3 + 1 + 3 + 1 + 3,
		`{"M":{"set":{"SS":["abc"]},"n":{"N":"1234"}}}`: 3 + 1 + 3 + 3 + 1 + 1 + 2,
	} {
		if got := engine.Typed(text).Size(); got != want {
			t.Errorf("%s takes %d bytes, want %d", text, got, want)
		}
	}
	endpoint := enginetest.Start(t, func() model.Time { return model.Time(1_795_000_000_000) }).Endpoint
	create := object{"TableName": "sets"}
	for name, v := range schema {
		create[name] = v
	}
	send(t, endpoint, exchange{target: "DynamoDB_20120810.CreateTable", body: create})
	large := make([]any, 100)
	for i := range large {
		large[i] = strings.Repeat("x", 4_200) + string(rune('0'+i/10)) + string(rune('0'+i%10))
	}
	got := send(t, endpoint, exchange{target: "DynamoDB_20120810.PutItem", body: object{"TableName": "sets",
		"Item": object{"pk": object{"S": "a"}, "sk": object{"S": "a"}, "large": object{"SS": large}}}})
	if got.message != "Item size has exceeded the maximum allowed size" {
		t.Errorf("a set of 420,200 bytes: %d %s %q", got.status, got.code, got.message)
	}
}
