package arguments

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

func TestValues_ReadsNumbersAsTheyAreTyped(t *testing.T) {
	for typed, want := range map[string]string{
		"temperature=22.4": "temperature:=22.4", "temperature:=22.4": "temperature:=22.4", "temperature=": "temperature=",
		"open=true": "open:=true", "note=hall 3": "note=hall 3", "zip=0042": "zip=0042", "phone=+4930": "phone=+4930",
		"level=-0.5": "level:=-0.5",
	} {
		attrs, err := Values([]string{typed}, []string{"temperature"})
		if err != nil || FieldsText(attrs) != want {
			t.Errorf("%s: got %s, %v; want %s", typed, FieldsText(attrs), err, want)
		}
	}
	for _, wrong := range []string{"temperature=22,4", "temperature=22.4 C", "temperature=warm",
		"temperature=true"} {
		if _, err := Values([]string{wrong}, []string{"temperature"}); !usererr.Is(err) ||
			!strings.Contains(err.Error(), "temperature=22.4") {
			t.Errorf("%s: got %v, want a usage error with an example", wrong, err)
		}
	}
}
