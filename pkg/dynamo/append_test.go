package dynamo_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func eventKey() keys.Key { return keys.Event(event.Key()) }

// stored is a stored event, as it comes with a cancellation reason.
const stored = `{"pk":{"S":"DEVICE#s1"},"sk":{"S":"EVENT#READING##2026-04-20T12:00:00.000Z#a"},"v":{"N":"1"},"_hash":{"B":"AAAAAAAAAAAAAAAAAAAAAA=="},"_arrived":{"S":"2026-04-20T12:00:01.000Z"}}`

func TestAppend_CancellationReasonsAreReadInOrder(t *testing.T) {
	const latest = `{"pk":{"S":"DEVICE#s1"},"sk":{"S":"CURRENT#READING#"},"_fence":{"BOOL":true}}`
	const failed = "ConditionalCheckFailed"
	storedEvent := &model.Event{Series: series, Order: event.Order, ArrivedAt: noon + 1000}
	locked := &model.Latest{Series: series, PurgeLocked: true}
	for _, c := range []struct {
		reasons []string
		want    storage.StoreResult
	}{
		{[]string{failed + " " + latest, "None", "None", "None"}, storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: locked, Stored: []*model.Event{nil, nil}}},
		{[]string{failed, "None", "None", "None"}, storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Stored: []*model.Event{nil, nil}}},
		{[]string{"None", failed, "None", "None"}, storage.StoreResult{Result: storage.ConditionFailed, PurgeLockFailed: true, Stored: []*model.Event{nil, nil}}},
		{[]string{"None", "None", failed + " " + stored, "None"}, storage.StoreResult{Result: storage.ConditionFailed, Stored: []*model.Event{storedEvent, nil}}},
		{[]string{"None", "None", "None", failed}, storage.StoreResult{Result: storage.ConditionFailed, Stored: []*model.Event{nil, {Series: series, Order: lateEvent.Order, Unreadable: true}}}},
		{[]string{failed, failed, failed + " " + stored, failed + " " + stored}, storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, PurgeLockFailed: true, Stored: []*model.Event{storedEvent, storedEvent}}},
		// A transient reason decides, even together with failed conditions.
		{[]string{failed, "TransactionConflict", "None", "None"}, storage.StoreResult{Result: storage.Conflicted}},
		{[]string{"None", "None", failed + " " + stored, "ThrottlingError"}, storage.StoreResult{Result: storage.Throttled}},
		{[]string{"TransactionConflict", "None", "ProvisionedThroughputExceeded", "None"}, storage.StoreResult{Result: storage.Throttled}},
	} {
		result, err := respondsWith(400, cancelled(c.reasons...)).table().Append(t.Context(), completeRow)
		if err != nil {
			t.Errorf("%v: %v", c.reasons, err)
		}
		if decided := result.Result == storage.ConditionFailed; (result.Cause == nil) != decided {
			t.Errorf("%v: cause %v, want the client's error if the table did not decide", c.reasons, result.Cause)
		}
		result.Cause = nil
		exact := cmp.Comparer(func(a, b model.Decimal) bool { return a == b })
		if diff := cmp.Diff(c.want, result, exact); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.reasons, diff)
		}
	}
}

func TestAppend_PermanentCancellationReasonsAreErrors(t *testing.T) {
	for _, reasons := range [][]string{
		{"None", "None", "ValidationError", "None"},
		{"ConditionalCheckFailed", "TransactionConflict", "ItemCollectionSizeLimitExceeded", "None"},
		{"None", "None", "AccessDenied", "None"},
		{"None", "None", "SomethingNew", "None"},
	} {
		result, err := respondsWith(400, cancelled(reasons...)).table().Append(t.Context(), completeRow)
		if err == nil || !strings.Contains(err.Error(), "item 2 of the transaction") {
			t.Errorf("%v: result %+v, %v; want an error that names item 2", reasons, result, err)
		}
	}
	for _, reasons := range [][]string{nil, {"None", "None", "None", "None"}} {
		if result, err := respondsWith(400, cancelled(reasons...)).table().Append(t.Context(),
			completeRow); err == nil {
			t.Errorf("%v: result %+v, want an error for the missing reason", reasons, result)
		}
	}
}

func TestPut_AFailedConditionWithoutTheItemReturnsAnUnreadableEvent(t *testing.T) {
	result, err := respondsWith(400, exception("ConditionalCheckFailedException")).table().Put(t.Context(),
		event)
	if err != nil || len(result.Stored) != 1 || !result.Stored[0].Unreadable ||
		result.Stored[0].Order != event.Order {
		t.Errorf("result %+v, %v; want an unreadable event of the same identity", result, err)
	}
}

func TestAppend_SendsTheseExpressions(t *testing.T) {
	s := respondsWith(200, `{}`)
	tx := completeRow
	tx.Latest = new(*completeRow.Latest)
	tx.Latest.Condition = model.Condition{{Field: "mode", Op: model.NotEqual, Value: model.TextValue("off")}}
	if _, err := s.table().Append(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`Update DEVICE#s1 CURRENT#READING#: SET _at='2026-04-20T12:00:00.000Z',_hash='AAAAAAAAAAAAAAAAAAAAAA==',_id='a',` +
			`createdAt=if_not_exists(createdAt,'2026-04-20T12:00:00.000Z'),size='3',v='1'` +
			` if attribute_not_exists(_fence) AND (_at < '2026-04-20T12:00:00.000Z' OR (_at = '2026-04-20T12:00:00.000Z' AND _id < 'a'))` +
			` AND (attribute_exists(mode) AND mode <> 'off') else ALL_OLD`,
		`ConditionCheck GATE#DEVICE#s1 GATE: if attribute_not_exists(pk) else ALL_OLD`,
		`Put DEVICE#s1 EVENT#READING##2026-04-20T12:00:00.000Z#a: if attribute_not_exists(pk) else ALL_OLD`,
		`ConditionCheck DEVICE#s1 EVENT#READING##2026-04-20T11:59:59.999Z#: if attribute_not_exists(pk) else ALL_OLD`,
	}
	if diff := cmp.Diff(want, formatExpressions(t, s.onlyRequest(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAppend_CreationRequiresNoOrderAndNoPurgeLock(t *testing.T) {
	s := respondsWith(200, `{}`)
	w := *completeRow.Latest
	w.Create = true
	if _, err := s.table().Append(t.Context(), storage.AppendTransaction{Latest: &w}); err != nil {
		t.Fatal(err)
	}
	const want = ` if attribute_not_exists(_at) AND attribute_not_exists(_fence) else ALL_OLD`
	if got := formatExpressions(t, s.onlyRequest(t))[0]; !strings.HasSuffix(got, want) {
		t.Errorf("creation is %s, want it to end in %s", got, want)
	}
}

func TestAppend_EqualTransactionsHaveEqualExpressions(t *testing.T) {
	tx := storage.AppendTransaction{Token: "t", Latest: new(*completeRow.Latest), Puts: completeRow.Puts}
	for i := range 30 {
		tx.Latest.Set = append(tx.Latest.Set,
			model.Attr{Name: fmt.Sprintf("field%02d", i), Value: model.TextValue("x")})
	}
	var first string
	for range 5 {
		s := respondsWith(200, `{}`)
		if _, err := s.table().Append(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		body, _ := json.Marshal(s.onlyRequest(t))
		if first == "" {
			first = string(body)
		}
		if string(body) != first {
			t.Fatal("equal transactions were sent with different expressions: the token would be rejected")
		}
	}
}

func TestAppend_UnionOf400FieldsFitsOneExpression(t *testing.T) {
	table := open(t)
	var set model.Attrs
	for i := range 400 {
		set = append(set, model.Attr{Name: fmt.Sprintf("field%03d", i), Value: model.BoolValue(true)})
	}
	w := &storage.LatestWrite{Series: series, Create: true, Last: event.Order, Set: set, Now: noon}
	if result, err := table.Append(t.Context(), storage.AppendTransaction{Latest: w}); err != nil ||
		result.Result != storage.Written {
		t.Fatalf("creation returns %v, %v; want written", result.Result, err)
	}
	w.Create = false
	w.First = model.Order{At: noon + 1}
	w.Last.At = noon + 1
	if result, err := table.Append(t.Context(), storage.AppendTransaction{Latest: w}); err != nil ||
		result.Result != storage.Written {
		t.Fatalf("update returns %v, %v; want written", result.Result, err)
	}
}

// formatExpressions formats the actions of a transaction with names and values in their
// expressions.
func formatExpressions(t *testing.T, request map[string]any) (out []string) {
	t.Helper()
	for _, list := range request["TransactItems"].([]any) {
		for verb, a := range list.(map[string]any) {
			action := a.(map[string]any)
			key, _ := action["Key"].(map[string]any)
			if key == nil {
				key = action["Item"].(map[string]any)
			}
			line := verb + " " + scalar(key[keys.AttrPK]) + " " + scalar(key[keys.AttrSK]) + ": "
			if update, ok := action["UpdateExpression"]; ok {
				line += update.(string) + " "
			}
			line += "if " + action["ConditionExpression"].(string) + " else " +
				action["ReturnValuesOnConditionCheckFailure"].(string)
			out = append(out, resolvePlaceholders(line, action))
		}
	}
	return out
}

// resolvePlaceholders replaces placeholders by names and values, the longest placeholders first.
func resolvePlaceholders(line string, action map[string]any) string {
	names, _ := action["ExpressionAttributeNames"].(map[string]any)
	values, _ := action["ExpressionAttributeValues"].(map[string]any)
	var pairs []string
	for i := 99; i >= 0; i-- {
		if name, ok := names[fmt.Sprint("#", i)]; ok {
			pairs = append(pairs, fmt.Sprint("#", i), name.(string))
		}
		if value, ok := values[fmt.Sprint(":", i)]; ok {
			pairs = append(pairs, fmt.Sprint(":", i), "'"+scalar(value)+"'")
		}
	}
	return strings.NewReplacer(pairs...).Replace(line)
}

func scalar(attribute any) string {
	for _, v := range attribute.(map[string]any) {
		return fmt.Sprint(v)
	}
	return ""
}
