package httpapi_test

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestParseWhere_ParsesEachForm(t *testing.T) {
	for text, want := range map[string]string{
		"temperature>20":        `"temperature" > 20`,
		"temperature >= -1.5e3": `"temperature" >= -1500`,
		"t<=7":                  `"t" <= 7`,
		"t<7":                   `"t" < 7`,
		"location=hall":         `"location" = "hall"`,
		`location="12"`:         `"location" = "12"`,
		"ok=true":               `"ok" = true`,
		"note<>":                `"note" <> ""`,
		"note=null":             `"note" = null`,
		"note=a=b":              `"note" = "a=b"`,
		"note exists":           `"note" exists`,
		"note missing":          `"note" missing`,
		"location begins ware":  `"location" begins "ware"`,
		`v begins "12"`:         `"v" begins "12"`,
		"note= missing":         `"note" = "missing"`,
	} {
		if got, err := httpapi.ParseWhere(text); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "temperature", ">20", "ok>true", " exists", "t!7"} {
		if got, err := httpapi.ParseWhere(text); !errors.Is(err, model.ErrCondition) {
			t.Errorf("%q: %s, %v; want %v", text, got, err, model.ErrCondition)
		}
	}
}
