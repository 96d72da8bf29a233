package replay

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCounts_SaysWhichValuesOfAFieldAreNotStored(t *testing.T) {
	var c Counts
	for i, r := range []result{
		{Outcome: model.Applied},
		{Outcome: model.Applied, Invalid: []string{"value"}},
		{Outcome: model.Applied, NotStored: []model.FieldError{{Field: "note", Message: "is too long"}}},
		{Outcome: model.Collision},
		{Outcome: model.Applied, NotStored: []model.FieldError{
			{Field: "value", Code: ingest.CodeNameReserved, Message: "is reserved for the table"}}},
	} {
		c.fields(formats.Observation{Location: fmt.Sprintf("a.csv:%d", 2+i),
			Body: []byte(`{"deviceId":"d","timestamp":1,"value":"x","note":"n"}`)}, r)
	}
	var names Counts
	reserved := []model.FieldError{{Field: "v", Code: ingest.CodeNameReserved, Message: "is reserved"}}
	names.fields(formats.Observation{Location: "b.csv:2", Body: []byte(`{"v":3}`)},
		result{Outcome: model.Applied, NotStored: reserved})
	var doubted Counts
	for i, doubts := range [][]formats.Doubt{nil, {{Field: "w", Why: "may be none"}}, {{Field: "w"}}} {
		doubted.fields(formats.Observation{Location: fmt.Sprintf("c.csv:%d", 2+i),
			Body: []byte(`{"w":-9999}`), Doubts: doubts}, result{Outcome: model.Applied})
	}
	var out strings.Builder
	names.Print(&out, time.Second)
	doubted.Print(&out, time.Second)
	c.Print(&out, time.Second)
	for _, want := range []string{
		`field value: 3 of 5 values are not stored as they are, the first at a.csv:3: "x" is not a number`,
		`field note: 2 of 5 values are not stored as they are, the first at a.csv:4: "n" is too long`,
		`field v: 1 of 1 values are not stored as they are, the first at b.csv:2: the name is reserved`,
		`field w: 2 of 3 values may be wrong, the first at c.csv:3: -9999 may be none`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}

// The API's own validation says what is not stored, so that the report has each part by the name that the API
// gives it.
func TestCounts_NamesEachPartThatTheAPIDoesNotStore(t *testing.T) {
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 80)
	for body, want := range map[string]string{
		`"temperature":1,"note":"\ud800"`:             "note: 1 of 1 values",
		`"temperature":1,"temperature":2,"battery":3`: "temperature: 1 of 1 values",
		`"temperature":1,"a":{"b":[1,2],"c":5}`:       `a.b: 1 of 1 values`,
		`"temperature":1,"a":{"b":"\udc00"}`:          "a.b: 1 of 1 values",
		`"temperature":1,"a":{"temperature":1e400}`:   `a.temperature: 1 of 1 values`,
		`"temperature":1,"` + long + `":4`:            long + ": 1 of 1 values",
		`"temperature":1e400`:                         `temperature: 1 of 1 values`,
	} {
		body = `{"deviceId":"d","timestamp":"2026-04-20T14:00:00Z",` + body + "}"
		now := func() model.Time { return model.NewTime(time.Date(2026, 4, 20, 15, 0, 0, 0, time.UTC)) }
		service := ingest.Service{Store: memory.New(now), Now: now, Limits: config.Default().Limits,
			Rand: rand.Reader}
		stored, err := service.Append(t.Context(), &kinds.Kinds[0], ingest.DecodeObject([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		var c Counts
		c.fields(formats.Observation{Location: "f:1", Body: []byte(body)}, result{Outcome: stored[0].Outcome,
			Invalid: stored[0].Invalid, NotStored: stored[0].NotStored})
		var out strings.Builder
		c.Print(&out, time.Second)
		if !strings.Contains(out.String(), "field "+want) {
			t.Errorf("%s: want %q in\n%s", body, want, out.String())
		}
	}
}
