package protocol_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// difference is a listed difference from DynamoDB Local, with its reason.
type difference struct {
	reason string
	holds  func(request, engine, referee exchange) bool
}

var differences = []difference{
	{"the engine refuses by name what Tidemark never sends", func(_, engine, _ exchange) bool {
		return strings.Contains(engine.message, "is not known to Tidemark's engine")
	}},
	{"DynamoDB Local evaluates the condition before it rejects an update of the key, which nothing can make valid", func(request, engine, _ exchange) bool {
		return strings.Contains(fmt.Sprint(engine.message, engine.texts), "Cannot update attribute")
	}},
	{"both reject a malformed action; whether that fails the request or cancels the transaction differs", func(_, engine, referee exchange) bool {
		return rejects(engine) && rejects(referee)
	}},
	{"the engine rejects two actions on one item before all else, as the service does", func(_, engine, referee exchange) bool {
		return strings.Contains(engine.message, "multiple operations on one item") &&
			referee.status == http.StatusBadRequest
	}},
	{"a page that ends at its limit has a next one, unless DynamoDB Local knows from the condition that nothing follows", func(request, engine, referee exchange) bool {
		_, more := referee.body["LastEvaluatedKey"]
		delete(engine.body, "LastEvaluatedKey")
		return strings.HasSuffix(request.target, "Query") && !more && cmp.Equal(engine.body, referee.body)
	}},
	{"DynamoDB Local rejects a start key at the end of the range; the engine returns the empty page", func(_, engine, referee exchange) bool {
		return strings.Contains(referee.message, "starting key") && engine.body["Count"] == 0.0
	}},
	{"items with equal sort keys in an index have no order", func(request, engine, referee exchange) bool {
		if request.body["IndexName"] == nil || engine.body["Count"] != referee.body["Count"] {
			return false
		}
		return request.body["Limit"] != nil || sortItems(engine) == sortItems(referee)
	}},
}

// sortItems returns the items of a page in one order.
func sortItems(page exchange) string {
	items, _ := page.body["Items"].([]any)
	all := make([]string, len(items))
	for i, it := range items {
		all[i] = fmt.Sprint(it)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// rejects reports whether a response is a permanent rejection of the request.
func rejects(e exchange) bool {
	return e.code == "ValidationException" ||
		e.code == "TransactionCanceledException" && strings.Contains(e.message, "ValidationError")
}

// exchange is a request or a response.
type exchange struct {
	target  string
	body    map[string]any
	status  int
	code    string // of an error, without its namespace
	message string
	texts   []any // of cancellation reasons
}

// send sends one request as the SDK does, without a client that would check it.
func send(t *testing.T, endpoint string, request exchange) (response exchange) {
	t.Helper()
	text, err := json.Marshal(request.body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", request.target)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("Authorization",
		"AWS4-HMAC-SHA256 Credential=local/20261126/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0")
	r.Header.Set("X-Amz-Date", "20261126T000000Z")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", request.target, text, err)
	}
	defer got.Body.Close()
	all, _ := io.ReadAll(got.Body)
	response.status = got.StatusCode
	if err := json.Unmarshal(all, &response.body); err != nil {
		t.Fatalf("%s: %d %s", request.target, got.StatusCode, all)
	}
	typ, _ := response.body["__type"].(string)
	response.code = typ[strings.LastIndex(typ, "#")+1:]
	for _, name := range []string{"message", "Message"} {
		if m, ok := response.body[name].(string); ok {
			response.message = m
		}
		delete(response.body, name)
	}
	delete(response.body, "__type")
	if reasons, ok := response.body["CancellationReasons"].([]any); ok {
		for _, r := range reasons {
			response.texts = append(response.texts, r.(map[string]any)["Message"])
		}
	}
	return response
}

// fuzzer makes random requests on one table.
type fuzzer struct {
	*rand.Rand
	table  string
	tokens int
	names  map[string]any
	values map[string]any
}

func pick[T any](f *fuzzer, all ...T) T { return all[f.IntN(len(all))] }

type object = map[string]any

func s(v string) object { return object{"S": v} }

func (f *fuzzer) key() object {
	return object{"pk": s(pick(f, "a", "b")), "sk": s(pick(f, "1", "10", "2", "ä"))}
}

// attribute values of all types, most of them of few kinds so that conditions hold sometimes.
func (f *fuzzer) value() object {
	switch f.IntN(14) {
	case 0, 1, 2:
		return s(pick(f, "x", "xy", "y", "", "ü\n\"", "\u2028"))
	case 3, 4, 5:
		return object{"N": pick(f, "1", "2", "10", "-3", "1.50", "0", "1e3", "12345678901234567890.123", "1E-130",
			"9.9999999999999999999999999999999999999E125", "00012", "+5")}
	case 6:
		return object{"B": pick(f, "", "AQI=", "AQ==", "/w==")}
	case 7:
		return object{"BOOL": f.IntN(2) == 0}
	case 8:
		return object{"NULL": true}
	case 9:
		return object{"L": []any{f.value(), f.value()}}
	case 10:
		return object{"M": object{"k": f.value(), "a": f.value()}}
	case 11:
		return object{"SS": []any{pick(f, "p", "q"), "r"}}
	case 12:
		return object{"NS": []any{pick(f, "1", "2"), "3"}}
	default:
		return pick(f, object{"N": "abc"}, object{"N": "123456789012345678901234567890123456789"},
			object{"N": "1e126"}, object{"N": "1e-131"}, object{"NULL": false}, object{"SS": []any{}}, object{},
			object{"S": "x", "N": "1"}, object{"S": "x"},
			object{"S": "x"}, object{"S": "x"})
	}
}

func (f *fuzzer) attr() string { return pick(f, "v", "w", "g1p", "g1s", "Name_1") }

func (f *fuzzer) item() object {
	it := f.key()
	for range f.IntN(4) {
		it[f.attr()] = f.value()
	}
	if f.IntN(3) > 0 {
		it["g1p"], it["g1s"] = s(pick(f, "i", "j")), s(pick(f, "1", "2", "3"))
	}
	switch f.IntN(40) {
	case 0:
		delete(it, pick(f, "pk", "sk"))
	case 1:
		it[pick(f, "pk", "sk")] = f.value()
	}
	return it
}

// name returns an attribute in an expression: by a placeholder or as it is.
func (f *fuzzer) name() string {
	attr := pick(f, f.attr(), f.attr(), "pk")
	switch f.IntN(12) {
	case 0:
		return attr
	case 1:
		return pick(f, "size", "name", "Status", "#undefined", "7up")
	}
	placeholder := fmt.Sprintf("#n%d", len(f.names))
	f.names[placeholder] = attr
	return placeholder
}

func (f *fuzzer) operand() string {
	if f.IntN(5) == 0 {
		return f.name()
	}
	placeholder := fmt.Sprintf(":v%d", len(f.values))
	f.values[placeholder] = f.value()
	if f.IntN(60) == 0 {
		return ":undefined"
	}
	return placeholder
}

func (f *fuzzer) condition(depth int) string {
	if depth > 0 {
		switch f.IntN(6) {
		case 0:
			return f.condition(depth-1) + " AND " + f.condition(depth-1)
		case 1:
			return f.condition(depth-1) + " OR " + f.condition(depth-1)
		case 2:
			return "NOT " + f.condition(depth-1)
		case 3:
			return "(" + f.condition(depth-1) + ")"
		}
	}
	switch f.IntN(10) {
	case 0, 1:
		return "attribute_exists(" + f.name() + ")"
	case 2, 3:
		return pick(f, "attribute_not_exists", "attribute_not_exists", "attribute_none") + "(" + f.name() + ")"
	case 4:
		return "begins_with(" + f.name() + ", " + f.operand() + ")"
	case 5:
		return f.name() + " BETWEEN " + f.operand() + " AND " + f.operand()
	default:
		return f.name() + pick(f, " = ", " <> ", " < ", " <= ", " > ", ">=", "= ", " == ") + f.operand()
	}
}

func (f *fuzzer) update() string {
	var set, remove []string
	for range f.IntN(3) {
		to := f.name() + " = "
		switch f.IntN(6) {
		case 0, 1:
			set = append(set, to+"if_not_exists("+f.name()+", "+f.operand()+")"+pick(f, "", "", "", " + "+f.operand()))
		case 2:
			set = append(set, to+f.operand()+pick(f, " + ", " - ", "+")+f.operand())
		default:
			set = append(set, to+f.operand())
		}
	}
	for range f.IntN(3) {
		remove = append(remove, f.name())
	}
	var clauses []string
	if len(set) > 0 {
		clauses = append(clauses, "SET "+strings.Join(set, ", "))
	}
	if len(remove) > 0 {
		clauses = append(clauses, pick(f, "REMOVE ", "remove ")+strings.Join(remove, ","))
	}
	if f.IntN(4) == 0 {
		clauses = append(clauses, "ADD "+f.name()+" "+f.operand())
	}
	return strings.Join(clauses, " ")
}

// with adds the placeholders that expressions used.
func (f *fuzzer) with(body object) object {
	if len(f.names) > 0 {
		body["ExpressionAttributeNames"] = f.names
	}
	if len(f.values) > 0 || f.IntN(50) == 0 {
		if f.IntN(50) == 0 {
			f.values[":unused"] = s("x")
		}
		body["ExpressionAttributeValues"] = f.values
	}
	f.names, f.values = object{}, object{}
	return body
}

// write returns the body of a Put, Update, Delete or ConditionCheck.
func (f *fuzzer) write(kind string) object {
	body := object{"TableName": f.table}
	switch kind {
	case "Put":
		body["Item"] = f.item()
	case "Update":
		body["Key"] = f.key()
		if update := f.update(); update != "" || f.IntN(4) == 0 {
			body["UpdateExpression"] = update
		}
	default:
		body["Key"] = f.key()
	}
	if f.IntN(20) == 0 && body["Key"] != nil {
		body["Key"] = pick(f, object{"pk": s("a")}, object{"pk": s(""), "sk": s("1")},
			object{"pk": s("a"), "sk": object{"N": "1"}}, object{"pk": s("a"), "sk": s("1"), "x": s("1")})
	}
	if f.IntN(3) > 0 || kind == "ConditionCheck" {
		body["ConditionExpression"] = f.condition(2)
	}
	if f.IntN(2) == 0 {
		body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
	}
	return f.with(body)
}

func (f *fuzzer) page() object {
	body := object{"TableName": f.table}
	if f.IntN(3) == 0 {
		body["Limit"] = 1 + f.IntN(3)
	}
	return body
}

func (f *fuzzer) query() object {
	body, values := f.page(), []string{"a", "b"}
	partition, sort := "pk", "sk"
	if f.IntN(3) == 0 {
		body["IndexName"] = "gsi1"
		partition, sort = "g1p", "g1s"
		values = []string{"i", "j"}
	} else {
		body["ConsistentRead"] = f.IntN(2) == 0
	}
	f.values[":p"] = pick(f, s(pick(f, values...)), s(pick(f, values...)), s(pick(f, values...)), f.value())
	condition := partition + pick(f, " = ", " = ", " = ", " = ", " = ", " < ") + ":p"
	v := func() string {
		name := fmt.Sprintf(":s%d", len(f.values))
		f.values[name] = pick(f, s("1"), s("2"), s("10"), s("3"), s("ä"), s("1"), s("2"), f.value())
		return name
	}
	switch f.IntN(5) {
	case 0:
		condition += " AND " + sort + pick(f, " = ", " < ", " <= ", " > ", " >= ", " <> ") + v()
	case 1:
		condition += " AND " + sort + " BETWEEN " + v() + " AND " + v()
	case 2:
		condition = "begins_with(" + sort + "," + v() + ") AND " + condition
	}
	body["KeyConditionExpression"] = condition
	if f.IntN(3) == 0 {
		body["ScanIndexForward"] = f.IntN(2) == 0
	}
	if f.IntN(6) == 0 {
		body["ExclusiveStartKey"] = f.key()
	}
	return f.with(body)
}

func (f *fuzzer) next() exchange {
	f.names, f.values = object{}, object{}
	const v = "DynamoDB_20120810."
	switch f.IntN(16) {
	case 0, 1, 2:
		return exchange{target: v + "PutItem", body: f.write("Put")}
	case 3, 4, 5:
		return exchange{target: v + "UpdateItem", body: f.write("Update")}
	case 6:
		return exchange{target: v + "DeleteItem", body: f.write("Delete")}
	case 7:
		return exchange{target: v + "GetItem", body: object{"TableName": pick(f, f.table, f.table, f.table, "none"),
			"Key": f.key(), "ConsistentRead": true}}
	case 8, 9, 10:
		return exchange{target: v + "Query", body: f.query()}
	case 11:
		return exchange{target: v + "BatchWriteItem", body: object{"RequestItems": object{f.table: f.batch()}}}
	case 12:
		return exchange{target: v + "BatchGetItem",
			body: object{"RequestItems": object{f.table: object{"Keys": []any{f.key(), f.key()}, "ConsistentRead": true}}}}
	default:
		return exchange{target: v + "TransactWriteItems", body: f.transaction()}
	}
}

func (f *fuzzer) batch() (all []any) {
	for range 1 + f.IntN(3) {
		if f.IntN(3) == 0 {
			all = append(all, object{"DeleteRequest": object{"Key": f.key()}})
		} else {
			all = append(all, object{"PutRequest": object{"Item": f.item()}})
		}
	}
	return all
}

func (f *fuzzer) transaction() object {
	var all []any
	for range 1 + f.IntN(3) {
		kind := pick(f, "Put", "Update", "Delete", "ConditionCheck")
		all = append(all, object{kind: f.write(kind)})
	}
	body := object{"TransactItems": all}
	if f.IntN(3) == 0 {
		f.tokens++
		body["ClientRequestToken"] = fmt.Sprintf("%s-%d", f.table, f.tokens-f.IntN(2)) // some are used twice
	}
	return body
}

// sorted puts what has no order into one: the items of BatchGetItem, and the elements of sets. Numbers get
// one form: DynamoDB Local returns some as they were sent.
func sorted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = sorted(inner)
			if n, ok := inner.(string); ok && name == "N" {
				d, _ := model.ParseDecimal(n)
				v[name] = d.String()
			}
			if list, ok := v[name].([]any); ok && slices.Contains([]string{"SS", "NS", "BS"}, name) {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
		}
		if responses, ok := v["Responses"].(map[string]any); ok {
			for _, list := range responses {
				slices.SortFunc(list.([]any), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
		}
	case []any:
		for i := range v {
			v[i] = sorted(v[i])
		}
	}
	return v
}

var schema = object{
	"BillingMode": "PAY_PER_REQUEST",
	"KeySchema":   []any{object{"AttributeName": "pk", "KeyType": "HASH"}, object{"AttributeName": "sk", "KeyType": "RANGE"}},
	"AttributeDefinitions": []any{object{"AttributeName": "pk", "AttributeType": "S"}, object{"AttributeName": "sk", "AttributeType": "S"},
		object{"AttributeName": "g1p", "AttributeType": "S"}, object{"AttributeName": "g1s", "AttributeType": "S"}},
	"GlobalSecondaryIndexes": []any{object{"IndexName": "gsi1", "Projection": object{"ProjectionType": "ALL"},
		"KeySchema": []any{object{"AttributeName": "g1p", "KeyType": "HASH"}, object{"AttributeName": "g1s", "KeyType": "RANGE"}}}},
}

// Random requests have the same responses from the engine and from DynamoDB Local: the same status, code and
// content. The texts of errors may differ.
func TestEngine_AgreesWithDynamoDBLocalOnRandomRequests(t *testing.T) {
	referee := ddbtest.ForTest(t).Endpoint
	engine := enginetest.Start(t, func() model.Time { return model.Time(1_795_000_000_000) }).Endpoint
	seed := rand.Uint64()
	if given := os.Getenv("TIDEMARK_SEED"); given != "" {
		fmt.Sscan(given, &seed)
	}
	requests, perTable := testenv.Histories(3_000, 100_000), 1_000
	listed, codes := map[string]int{}, map[string]int{}
	for table, n := 0, 0; n < requests; table++ {
		f := &fuzzer{Rand: rand.New(rand.NewPCG(seed, uint64(table))),
			table: fmt.Sprintf("fuzz-%d-%d", seed, table)}
		create := object{"TableName": f.table}
		for name, v := range schema {
			create[name] = v
		}
		for _, endpoint := range []string{engine, referee} {
			if got := send(t, endpoint,
				exchange{target: "DynamoDB_20120810.CreateTable", body: create}); got.status != http.StatusOK {
				t.Fatalf("create table: %+v", got)
			}
		}
		for range perTable {
			n++
			request := f.next()
			got, want := send(t, engine, request), send(t, referee, request)
			codes[want.code]++
			if agree(got, want) {
				continue
			}
			if reason := excused(request, got, want); reason != "" {
				if listed[reason]++; isRead(request) {
					continue
				}
				break // the tables may differ from here on
			}
			text, _ := json.Marshal(request.body)
			t.Fatalf("seed %d, request %d: %s %s\nengine:  %d %s %s\nreferee: %d %s %s\n%s", seed, n, request.target,
				text,
				got.status, got.code, got.message, want.status, want.code, want.message, cmp.Diff(want.body, got.body))
		}
	}
	t.Logf("seed %d, %d requests, responses by code %v, listed differences %v", seed, requests, codes, listed)
}

func isRead(request exchange) bool {
	return strings.HasSuffix(request.target, "Query") || strings.HasSuffix(request.target, "GetItem")
}

func agree(a, b exchange) bool {
	return a.status == b.status && a.code == b.code && cmp.Equal(withoutTexts(a.body), withoutTexts(b.body))
}

// withoutTexts removes the texts of cancellation reasons.
func withoutTexts(body map[string]any) any {
	if reasons, ok := body["CancellationReasons"].([]any); ok {
		for _, r := range reasons {
			delete(r.(map[string]any), "Message")
		}
	}
	delete(body, "UnprocessedKeys")
	delete(body, "ConsumedCapacity") // DynamoDB Local adds it to some responses that did not request it
	return sorted(body)
}

func excused(request, engine, referee exchange) string {
	for _, d := range differences {
		if d.holds(request, engine, referee) {
			return d.reason
		}
	}
	return ""
}
