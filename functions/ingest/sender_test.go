package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/internal/ops/repair/undelivered"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// people are subjects that no thing may write.
var people = catalog.Kind{Name: "SCORE", Path: "scores",
	Subject: catalog.SubjectType{Name: "EMPLOYEE", Path: "employees", Field: "employeeId"}}

// thing is the sender in the tests of senders, of readings.
const thing = "mallory"

// deliveries returns how a message of the thing arrives, by source. The last two names are of senders that
// may write any subject.
var deliveries = map[string]func(message []byte) (payload []byte, ok bool){
	"iot":       func(m []byte) ([]byte, bool) { return byRule(m, false) },
	"iot batch": func(m []byte) ([]byte, bool) { return byRule(m, true) },
	"things": func(m []byte) ([]byte, bool) {
		p, ok := byRule(m, true)
		return thingsPayload(p), ok
	},
	"sqs":     func(m []byte) ([]byte, bool) { return record("aws:sqs", m), true },
	"kinesis": func(m []byte) ([]byte, bool) { return record("aws:kinesis", m), true },
}

func byRule(message []byte, batch bool) ([]byte, bool) {
	payload, err := envelope.ByRule(message, "READING", thing, batch)
	return payload, err == nil
}

func thingsPayload(message []byte) []byte {
	body, _ := json.Marshal(string(message)) // a string cannot fail
	return fmt.Appendf(nil,
		`{"version":"2.0","routeKey":"POST /things/rules/messages","rawPath":"/things/rules/messages",`+
			`"headers":{"content-type":"application/json"},"requestContext":{"routeKey":"POST /things/rules/messages","requestId":"r",`+
			`"authorizer":{"iam":{"userArn":"arn:aws:sts::123456789012:assumed-role/rules/iot"}},"http":{"method":"POST","path":"/things/rules/messages"}},`+
			`"body":"[`+"%s"+`]"}`, body[1:len(body)-1])
}

func record(source string, message []byte) []byte {
	payload, _ := json.Marshal(map[string]any{"Records": []any{map[string]any{"eventSource": source,
		"messageId": "1", "body": string(message),
		// plain data cannot fail
		"eventID": "1", "kinesis": map[string]any{"sequenceNumber": "1", "data": message}}}})
	return payload
}

// hostileMessage draws a message in which reserved names, other subjects and other kinds stand in any place.
func hostileMessage() *rapid.Generator[string] {
	value := rapid.SampledFrom([]string{`"victim"`, `"mallory"`, `"READING"`, `"SCORE"`, `"NOISE"`, `null`, `""`,
		`7`, `{"tidemark_subject":"victim"}`})
	name := rapid.SampledFrom([]string{"tidemark_subject", "tidemark_kind", "tidemark_delivery",
		"tidemark_batch", `tidemark\u005fsubject`,
		"TIDEMARK_SUBJECT", "deviceId", "employeeId", "temperature", "points"})
	object := rapid.Custom(func(t *rapid.T) string {
		at := rapid.SampledFrom(
			[]string{"2026-04-20T14:00:00Z", "2026-04-20T14:10:00Z", "2026-04-20T14:11:00Z", "never"}).Draw(t, "time")
		text := fmt.Sprintf(`{"timestamp":%q`, at)
		for range rapid.IntRange(0, 4).Draw(t, "fields") {
			text += fmt.Sprintf(`,"%s":%s`, name.Draw(t, "name"), value.Draw(t, "value"))
		}
		return text + "}"
	})
	return rapid.Custom(func(t *rapid.T) string {
		all := rapid.SliceOfN(rapid.OneOf(object, object, object, value), 1, 4).Draw(t, "elements")
		if len(all) == 1 && rapid.Bool().Draw(t, "one") {
			return all[0]
		}
		return "[" + strings.Join(all, ",") + "]"
	})
}

// senderFixture is the function at a time, with readings and scores. One payload may hold two observations,
// which a later configuration raises.
func senderFixture(t *testing.T, table *memory.Table, at model.Time, limit int) fixture {
	t.Helper()
	conf := config.Default(append(iot.Kinds(), people)...)
	conf.Limits.Observations = limit
	f := newFixtureOn(t, conf, table, table)
	f.service.Now = func() model.Time { return at }
	return f
}

// reached returns the series of the stored events, once each.
func (f fixture) reached(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, e := range f.views(t) {
		all = append(all, e.Series.Subject.Type+"/"+e.Series.Subject.ID+" "+e.Series.Kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (f fixture) retrier(at model.Time) *quarantine.Retrier {
	limits := config.Default().Limits
	now := func() model.Time { return at }
	return quarantine.NewRetrier(f.table, f.appends.Catalog, limits, f.defaultKind, now, io.Discard)
}

// retryAll retries the quarantine. Entries that cannot be processed stay.
func (f fixture) retryAll(t *testing.T, at model.Time) {
	t.Helper()
	all, err := quarantine.List(t.Context(), f.table, f.appends.Catalog, quarantine.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		_, _ = f.retrier(at).Retry(t.Context(), &all[i])
	}
}

// later is when the repairs run: what was too far ahead has come.
func later() model.Time { return now().Add(time.Hour) }

// A thing reaches its own readings alone, and another sender what its first delivery reaches, whatever the
// message says, however it arrives, and whatever is repaired.
func TestSender_NoRepairReachesWhatTheFirstDeliveryCannot(t *testing.T) {
	t.Parallel()
	messages := hostileMessage()
	for source, deliver := range deliveries {
		payload, _ := deliver([]byte(`{"deviceId":"mallory","timestamp":"2026-04-20T14:10:00Z"}`))
		if repaired, _ := reachAfterRepair(t, payload); len(repaired) != 1 {
			t.Errorf("%s: the retry of a reading that was ahead of the clock reached %q", source, repaired)
		}
		rapid.Check(t, func(r *rapid.T) {
			if payload, ok := deliver([]byte(messages.Draw(r, "message"))); ok {
				repaired, first := reachAfterRepair(t, payload)
				requireReach(r, source, repaired, first)
			}
		})
	}
}

// reachAfterRepair returns the series that a payload reaches with a retry of all that was quarantined, and
// those that it reaches if it is delivered at the time of the retry, by the limits of that time.
func reachAfterRepair(t *testing.T, payload []byte) (repaired, first []string) {
	t.Helper()
	atOnce := senderFixture(t, memory.New(later), later(), config.Default().Limits.Observations)
	_, _ = atOnce.handle(invocation(t, "1"), payload)
	f := senderFixture(t, memory.New(now), now(), 2)
	_, _ = f.handle(invocation(t, "1"), payload)
	f.retryAll(t, later())
	return f.reached(t), atOnce.reached(t)
}

// requireReach fails if a repair reached a series that the first delivery does not, or a thing another's.
func requireReach(t *rapid.T, source string, repaired, first []string) {
	own := "DEVICE/" + thing + " READING"
	for _, series := range repaired {
		if !slices.Contains(first, series) {
			t.Fatalf("%s: the repair reached %s, the first delivery %q", source, series, first)
		}
		if !slices.Contains([]string{"sqs", "kinesis"}, source) && series != own {
			t.Fatalf("%s: the thing reached %s", source, series)
		}
	}
}

// forms returns the messages of the undelivered queue about a message of the thing.
func forms(message []byte, batch bool) [][]byte {
	topic := "tidemark/devices/" + thing + "/readings"
	if batch {
		topic += "/batch"
	}
	original := base64.StdEncoding.EncodeToString(message)
	all := [][]byte{
		fmt.Appendf(nil, `{"ruleName":"readings","topic":%q,"base64OriginalPayload":%q}`, topic, original),
		fmt.Appendf(nil, `{"ruleName":"readings","payloadsWithMetadata":[{"topic":%q,"base64OriginalPayload":%q}]}`,
			topic, original),
	}
	if payload, ok := byRule(message, batch); ok {
		all = append(all, fmt.Appendf(nil,
			`{"requestContext":{"requestId":"7","condition":"RetriesExhausted"},"requestPayload":%s}`, payload))
	}
	return all
}

func TestSender_NoReplayOfTheUndeliveredReachesAnotherSubject(t *testing.T) {
	t.Parallel()
	own := []string{"DEVICE/" + thing + " READING"}
	for _, body := range forms([]byte(`{"timestamp":1776600001}`), false) {
		if _, got := replay(t, onfailure.Message{ID: "1", Body: body}); !slices.Equal(got, own) {
			t.Errorf("%s: reached %q, want %q", body, got, own)
		}
	}
	messages := hostileMessage()
	rapid.Check(t, func(r *rapid.T) {
		message := []byte(messages.Draw(r, "message"))
		for _, body := range forms(message, rapid.Bool().Draw(r, "batch")) {
			form, got := replay(t, onfailure.Message{ID: "1", Body: body})
			requireReach(r, form, got, own)
		}
	})
}

// lookAlikes returns a message of a sender and what that sender can make of it that looks like a message of a
// service about another one.
func lookAlikes(message []byte) [][]byte {
	all := append(forms(message, false), message)
	return append(all, fmt.Appendf(nil, `{"KinesisBatchInfo":{"shardId":"shardId-1","startSequenceNumber":"1",`+
		`"endSequenceNumber":"1","streamArn":"arn:aws:kinesis:eu-west-1:1:stream/inlet"},"requestPayload":%s}`, message))
}

// A message of the inbox queue reaches what its first delivery reaches, and stays what it is, whatever it
// looks like.
func TestSender_NoMessageOfTheInboxIsTakenForAnother(t *testing.T) {
	t.Parallel()
	messages := hostileMessage()
	rapid.Check(t, func(r *rapid.T) {
		for _, body := range lookAlikes([]byte(messages.Draw(r, "message"))) {
			atOnce := senderFixture(t, memory.New(later), later(), 100)
			_, _ = atOnce.handle(invocation(t, "1"), record("aws:sqs", body))
			first := atOnce.reached(t)
			form, got := replay(t, onfailure.Message{ID: "1", Body: body, Moved: true})
			if form != string(undelivered.Inbox) {
				r.Fatalf("%s: taken for %s", body, form)
			}
			requireReach(r, "sqs", got, first)
		}
	})
}

// replay replays a message of the undelivered queue and returns its form and the series that it reached.
func replay(t *testing.T, message onfailure.Message) (form string, reached []string) {
	t.Helper()
	f := senderFixture(t, memory.New(later), later(), 100)
	m := undelivered.Decode(message, f.appends.Catalog)
	replayer := undelivered.Replayer{Queue: emptyQueue{}, Catalog: f.appends.Catalog,
		Appender: f.retrier(later())}
	_, _ = replayer.Replay(t.Context(), m) // an error says that the message stays
	return string(m.Form), f.reached(t)
}

// emptyQueue is a queue without messages.
type emptyQueue struct{}

func (emptyQueue) Receive(context.Context) ([]onfailure.Message, error) { return nil, nil }
func (emptyQueue) Remove(context.Context, onfailure.Message) error      { return nil }
