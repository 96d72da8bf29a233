package dynamo_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func eventKey() keys.Key { return keys.Event(event.Key()) }

// A stored event, as it comes with a reason.
const stored = `{"pk":{"S":"DEVICE#s1"},"sk":{"S":"EVENT#READING##2026-04-20T12:00:00.000Z#a"},"v":{"N":"1"},"_hash":{"B":"AAAAAAAAAAAAAAAAAAAAAA=="},"_arrived":{"S":"2026-04-20T12:00:01.000Z"}}`

func TestAppend_ReasonsAreReadOneByOneInOrder(t *testing.T) {
	const current = `{"pk":{"S":"DEVICE#s1"},"sk":{"S":"CURRENT#READING#"},"_fence":{"BOOL":true}}`
	const failed = "ConditionalCheckFailed"
	was := &model.Event{Series: series, Order: event.Order, ArrivedAt: noon + 1000}
	fenced := &model.Current{Series: series, Fenced: true}
	for _, c := range []struct {
		reasons []string
		want    ingest.Reply
	}{
		{[]string{failed + " " + current, "None", "None", "None"}, ingest.Reply{Answer: model.Refused, CurrentFailed: true, Current: fenced, Stored: []*model.Event{nil, nil}}},
		{[]string{failed, "None", "None", "None"}, ingest.Reply{Answer: model.Refused, CurrentFailed: true, Stored: []*model.Event{nil, nil}}},
		{[]string{"None", failed, "None", "None"}, ingest.Reply{Answer: model.Refused, GateFailed: true, Stored: []*model.Event{nil, nil}}},
		{[]string{"None", "None", failed + " " + stored, "None"}, ingest.Reply{Answer: model.Refused, Stored: []*model.Event{was, nil}}},
		{[]string{"None", "None", "None", failed}, ingest.Reply{Answer: model.Refused, Stored: []*model.Event{nil, {Series: series, Order: late.Order, Unreadable: true}}}},
		{[]string{failed, failed, failed + " " + stored, failed + " " + stored}, ingest.Reply{Answer: model.Refused, CurrentFailed: true, GateFailed: true, Stored: []*model.Event{was, was}}},
		// What may pass is never a verdict, not even beside conditions that failed.
		{[]string{failed, "TransactionConflict", "None", "None"}, ingest.Reply{Answer: model.Conflicting}},
		{[]string{"None", "None", failed + " " + stored, "ThrottlingError"}, ingest.Reply{Answer: model.Throttled}},
		{[]string{"TransactionConflict", "None", "ProvisionedThroughputExceeded", "None"}, ingest.Reply{Answer: model.Throttled}},
	} {
		reply, err := says(400, cancelled(c.reasons...)).table().Append(t.Context(), whole)
		if err != nil {
			t.Errorf("%v: %v", c.reasons, err)
		}
		exact := cmp.Comparer(func(a, b model.Decimal) bool { return a == b })
		if diff := cmp.Diff(c.want, reply, exact); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.reasons, diff)
		}
	}
}

func TestAppend_ReasonsThatNoRetryMendsAreErrors(t *testing.T) {
	for _, reasons := range [][]string{
		{"None", "None", "ValidationError", "None"},
		{"ConditionalCheckFailed", "TransactionConflict", "ItemCollectionSizeLimitExceeded", "None"},
		{"None", "None", "AccessDenied", "None"},
		{"None", "None", "SomethingNew", "None"},
	} {
		reply, err := says(400, cancelled(reasons...)).table().Append(t.Context(), whole)
		if err == nil || !strings.Contains(err.Error(), "item 2 of the transaction") {
			t.Errorf("%v: reply %+v, %v; want an error that names item 2", reasons, reply, err)
		}
	}
	for _, reasons := range [][]string{nil, {"None", "None", "None", "None"}} {
		if reply, err := says(400, cancelled(reasons...)).table().Append(t.Context(), whole); err == nil {
			t.Errorf("%v: reply %+v, want an error: nothing says why", reasons, reply)
		}
	}
}

func TestPut_RefusedWithoutTheItemShowsAnUnreadableEvent(t *testing.T) {
	reply, err := says(400, exception("ConditionalCheckFailedException")).table().Put(t.Context(), event)
	if err != nil || len(reply.Stored) != 1 || !reply.Stored[0].Unreadable || reply.Stored[0].Order != event.Order {
		t.Errorf("reply %+v, %v; want an unreadable event of the same identity", reply, err)
	}
}

func TestAppend_SaysItsConditionsInTheseWords(t *testing.T) {
	s := says(200, `{}`)
	tx := whole
	tx.Current = new(*whole.Current)
	tx.Current.Where = ingest.Condition{{Field: "mode", Op: ingest.NotEqual, Value: model.TextValue("off")}}
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
	if diff := cmp.Diff(want, words(t, s.sent(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAppend_CreationAsksForNoOrderAndNoFence(t *testing.T) {
	s := says(200, `{}`)
	w := *whole.Current
	w.Create = true
	if _, err := s.table().Append(t.Context(), ingest.Transaction{Current: &w}); err != nil {
		t.Fatal(err)
	}
	const want = ` if attribute_not_exists(_at) AND attribute_not_exists(_fence) else ALL_OLD`
	if got := words(t, s.sent(t))[0]; !strings.HasSuffix(got, want) {
		t.Errorf("creation is %s, want it to end in %s", got, want)
	}
}

func TestAppend_OneTransactionHasOneText(t *testing.T) {
	tx := ingest.Transaction{Token: "t", Current: new(*whole.Current), Puts: whole.Puts}
	for i := range 30 {
		tx.Current.Set = append(tx.Current.Set, model.Attr{Name: fmt.Sprintf("field%02d", i), Value: model.TextValue("x")})
	}
	var first string
	for range 5 {
		s := says(200, `{}`)
		if _, err := s.table().Append(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		body, _ := json.Marshal(s.sent(t))
		if first == "" {
			first = string(body)
		}
		if string(body) != first {
			t.Fatal("the same transaction was sent in two forms: its token would be refused")
		}
	}
}

func TestAppend_UnionOf400FieldsFitsOneExpression(t *testing.T) {
	table := open(t)
	var set model.Attrs
	for i := range 400 {
		set = append(set, model.Attr{Name: fmt.Sprintf("field%03d", i), Value: model.BoolValue(true)})
	}
	w := &ingest.CurrentWrite{Series: series, Create: true, Last: event.Order, Set: set, Now: noon}
	if reply, err := table.Append(t.Context(), ingest.Transaction{Current: w}); err != nil || reply.Answer != model.Written {
		t.Fatalf("creation answers %v, %v; want written", reply.Answer, err)
	}
	w.Create, w.First, w.Last.At = false, model.Order{At: noon + 1}, noon+1
	if reply, err := table.Append(t.Context(), ingest.Transaction{Current: w}); err != nil || reply.Answer != model.Written {
		t.Fatalf("change answers %v, %v; want written", reply.Answer, err)
	}
}

// words are the actions of a sent transaction with names and values in their places.
func words(t *testing.T, request map[string]any) (out []string) {
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
			line += "if " + action["ConditionExpression"].(string) + " else " + action["ReturnValuesOnConditionCheckFailure"].(string)
			out = append(out, inWords(line, action))
		}
	}
	return out
}

// inWords puts names and values in the place of placeholders, the longest first.
func inWords(line string, action map[string]any) string {
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
