package replay

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
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
		c.fields(Observation{Location: place("a.csv", 2+i),
			Body: []byte(`{"deviceId":"d","timestamp":1,"value":"x","note":"n"}`)}, r)
	}
	var names Counts
	reserved := []model.FieldError{{Field: "v", Code: ingest.CodeNameReserved, Message: "is reserved"}}
	names.fields(Observation{Location: place("b.csv", 2), Body: []byte(`{"v":3}`)},
		result{Outcome: model.Applied, NotStored: reserved})
	var out strings.Builder
	names.Print(&out, time.Second)
	c.Print(&out, time.Second)
	for _, want := range []string{
		`field value: 3 of 5 values are not stored as they are, the first at a.csv:3: "x" is not a number`,
		`field note: 2 of 5 values are not stored as they are, the first at a.csv:4: "n" is too long`,
		`field v: 1 of 1 values are not stored as they are, the first at b.csv:2: the name is reserved`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}
