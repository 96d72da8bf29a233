package replay

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCounts_SaysWhichValuesOfAFieldAreNotStored(t *testing.T) {
	var c Counts
	for i, r := range []result{
		{Outcome: model.Applied},
		{Outcome: model.Applied, Invalid: []string{"value"}},
		{Outcome: model.Applied, NotStored: []model.FieldError{{Field: "note", Message: "is too long"}}},
		{Outcome: model.Collision},
	} {
		c.fields(Observation{Location: place("a.csv", 2+i),
			Body: []byte(`{"deviceId":"d","timestamp":1,"value":"x","note":"n"}`)}, r)
	}
	var out strings.Builder
	c.Print(&out, time.Second)
	for _, want := range []string{
		`field value: 2 of 4 values are not stored as values, the first at a.csv:3: "x" is not a number`,
		`field note: 2 of 4 values are not stored as values, the first at a.csv:4: "n" is too long`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}
