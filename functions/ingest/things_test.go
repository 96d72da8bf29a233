package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

// ofThing is a message as a rule sends it in a batch.
func ofThing(subject, delivery, rest string) string {
	return fmt.Sprintf(`{"tidemark_subject":%q,"tidemark_kind":"READING","tidemark_delivery":%q,%s}`, subject,
		delivery, rest)
}

func (f fixture) things(t *testing.T, messages ...string) (int, string) {
	t.Helper()
	r := f.write(t, write{path: envelope.PathMessages, rule: true,
		body: "[" + strings.Join(messages, ",") + "]"})
	return r.StatusCode, r.Body
}

// A message keeps its identity in whatever batch AWS IoT sends it again, also of a kind whose ids are minted.
// Two messages that are alike are two.
func TestThings_ABatchOfRulesIsStoredOnce(t *testing.T) {
	t.Parallel()
	kinds := iot.Kinds()
	kinds[0].IDs = catalog.MintedID
	table := memory.New(now)
	f := newFixtureOn(t, config.Default(kinds...), table, table)
	const at = `"timestamp":"2026-04-20T14:00:00Z","temperature":21`
	one := ofThing("a", "1", at)
	alike := ofThing("a", "2", at)
	other := ofThing("b", "3", at)
	bad := ofThing("b", "4", `"timestamp":"never"`)
	foreign := `{"deviceId":"c",` + at + `}`
	status, body := f.things(t, one, alike, other, bad, foreign)
	if status != 200 || body != `{"applied":3,"rejected":2}` {
		t.Errorf("got %d %s", status, body)
	}
	status, body = f.things(t, bad, other)
	again, _ := f.things(t, alike, one)
	if status != 200 || body != `{"duplicate":1,"rejected":1}` || again != 200 {
		t.Errorf("delivered again: got %d %s, and %d", status, body, again)
	}
	want := []string{"DEVICE/a/READING", "DEVICE/a/READING", "DEVICE/b/READING"}
	var got []string
	for _, e := range f.events(t) {
		got = append(got, strings.Fields(e)[0])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if _, quarantined := f.stored(t); len(quarantined) != 2 {
		t.Errorf("quarantined %v, want the messages that are not readings of a thing", quarantined)
	}
}

func TestThings_UndecidedMessagesAreSentAgain(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	f := onStore(t, failingTable{Table: table, subject: "a", result: storage.Conflicted}, table)
	const at = `"timestamp":1776600001`
	if status, body := f.things(t, ofThing("a", "1", at), ofThing("b", "2", at)); status != 503 {
		t.Errorf("got %d %s: AWS IoT would not send the batch again", status, body)
	}
	if status, body := onStore(t, table, table).things(t, ofThing("a", "1", at),
		ofThing("b", "2", at)); status != 200 || body != `{"applied":1,"duplicate":1}` {
		t.Errorf("sent again: %d %s", status, body)
	}
}

func TestThings_ABodyThatIsNoBatchIsNotLost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.write(t, write{path: envelope.PathMessages, rule: true, body: `{"timestamp":31536001}`})
	if r.StatusCode != 200 || len(f.quarantined(t)) != 1 {
		t.Errorf("got %d %s", r.StatusCode, r.Body)
	}
	if r := f.write(t, write{path: envelope.PathMessages, rule: true,
		body: strings.Repeat(" ", 1<<20+1)}); r.StatusCode != 413 {
		t.Errorf("got %d for a body over the limit", r.StatusCode)
	}
}

// visits records requests to AWS IoT and responds with a status.
type visits struct {
	addresses []string
	status    int
}

var errNoConnection = errors.New("no connection")

func (v *visits) RoundTrip(q *http.Request) (*http.Response, error) {
	v.addresses = append(v.addresses, q.Method+" "+q.URL.String())
	if v.status == 0 {
		return nil, errNoConnection
	}
	return &http.Response{StatusCode: v.status, Body: io.NopCloser(bytes.NewReader(nil))}, nil
}

// AWS IoT asks for a confirmation before it sends to an address. Anyone can send the request, so
// that no other host is visited.
func TestThings_ConfirmsToAWSIoTAndVisitsNoOtherHost(t *testing.T) {
	t.Parallel()
	const address = "https://iot.eu-west-1.amazonaws.com/confirmdestination/AYADeMXLrPrNY2wqJAKsFNn-NBJndA"
	tests := []struct {
		name, body string
		respond    int
		want       int
		visited    bool
	}{
		{"a request as AWS IoT sends it", `{"arn":"arn:aws:iot:eu-west-1:123456789012:ruledestination/http/7a28","confirmationToken":"AYADeMXLrPrNY2wqJAKsFNn-NBJndA","enableUrl":"` + address + `","messageType":"DestinationConfirmation"}`, 200, 200, true},
		{"AWS IoT refuses", `{"enableUrl":"` + address + `"}`, 404, 503, true},
		{"AWS IoT is away", `{"enableUrl":"` + address + `"}`, 0, 503, true},
		{"another host", `{"enableUrl":"https://iot.eu-west-1.amazonaws.com.example.com/confirmdestination/x"}`, 200, 400, false},
		{"a host as user", `{"enableUrl":"https://iot.eu-west-1.amazonaws.com@example.com/confirmdestination/x"}`, 200, 400, false},
		{"not encrypted", `{"enableUrl":"http://iot.eu-west-1.amazonaws.com/confirmdestination/x"}`, 200, 400, false},
		{"another path", `{"enableUrl":"https://iot.eu-west-1.amazonaws.com/things/x"}`, 200, 400, false},
		{"a path that leaves", `{"enableUrl":"https://iot.eu-west-1.amazonaws.com/confirmdestination/../things"}`, 200, 400, false},
		{"no address", `{}`, 200, 400, false},
		{"not JSON", `x`, 200, 400, false},
	}
	for _, tt := range tests {
		f, v := newFixture(t), &visits{status: tt.respond}
		f.client = &http.Client{Transport: v}
		r := f.write(t, write{path: envelope.PathConfirmation + "/",
			query: "confirmationToken=AYADeMXLrPrNY2wqJAKsFNn-NBJndA", body: tt.body})
		if r.StatusCode != tt.want || slices.Contains(v.addresses, "GET "+address) != tt.visited ||
			len(v.addresses) > 1 {
			t.Errorf("%s: status %d, want %d; visited %v", tt.name, r.StatusCode, tt.want, v.addresses)
		}
	}
}
