package formats

import (
	"bytes"
	"encoding/csv"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// Cells of any text are the same with an equals sign before their quotes as without it, also where their text
// has one; and a file without such cells is not changed.
func TestFormulas_AreTheirTexts(t *testing.T) {
	t.Parallel()
	cell := rapid.StringOf(rapid.RuneFrom([]rune(`=",;a0é` + "\n\t")))
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, 2, 4), 1, 4).Draw(t, "rows")
		marked := rapid.Bool()
		var plain, formulas bytes.Buffer
		for _, row := range rows {
			for i, text := range row {
				if i > 0 {
					plain.WriteByte(',')
					formulas.WriteByte(',')
				}
				quoted := `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
				plain.WriteString(quoted)
				if marked.Draw(t, "marked") {
					formulas.WriteByte('=')
				}
				formulas.WriteString(quoted)
			}
			plain.WriteByte('\n')
			formulas.WriteByte('\n')
		}
		for _, text := range []string{plain.String(), formulas.String()} {
			_, source := withoutFormulas(layout{start: []byte(text)}, iotest.OneByteReader(strings.NewReader(text)))
			read, err := io.ReadAll(source)
			if err != nil || string(read) != plain.String() {
				t.Fatalf("%q is read as %q, %v; want %q", text, read, err, plain.String())
			}
		}
		reader := csv.NewReader(&plain)
		reader.FieldsPerRecord = -1
		parsed, err := reader.ReadAll()
		if err != nil || !reflect.DeepEqual(parsed, rows) {
			t.Fatalf("%q, %v, want %q", parsed, err, rows)
		}
	})
}
