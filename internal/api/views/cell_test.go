package views

import (
	"bytes"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestWriteCSV_NeutralisesFormulasAndControlSequences(t *testing.T) {
	for cell, want := range map[string]string{
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+A1": "'+A1", "-A1": "'-A1", "@SUM(1)": "'@SUM(1)", "\t=1": "'\t=1",
		"-5.25": "-5.25", "+5": "+5", "-1e-7": "-1e-7", "": "", "a=b": "a=b", "hall": "hall", "ümlaut": "ümlaut",
		"\x1b[31mred": "·[31mred", "a\rb": "a·b", "\u009b2J": "·2J",
		"＝1+1": "'＝1+1", "＋A1": "'＋A1", "－A1": "'－A1", "＠SUM(1)": "'＠SUM(1)", "id-\u202egnp.exe": "id-·gnp.exe",
	} {
		if got := SafeCells([]string{cell})[0]; got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
	var out bytes.Buffer
	if err := FormatCSV.Write(&out, listed{}); err != nil || out.String() != "'=a,b\n'=1+1,-2\n" {
		t.Errorf("wrote %q, %v", out.String(), err)
	}
}

// A terminal may obey a control character of 8 bits, and a reader takes a turned text for another.
func TestWriteJSON_EscapesWhatAReaderCannotSee(t *testing.T) {
	text := Fields{{Name: "a\u200bb", Value: model.TextValue("\u009b31m\x7f\u202egnp")}}
	for format, want := range map[*Format]string{
		&FormatJSON:   `{"a\u200bb":"\u009b31m\u007f\u202egnp"}`,
		&FormatNDJSON: `{"a\u200bb":"\u009b31m\u007f\u202egnp"}` + "\n",
	} {
		var out bytes.Buffer
		if err := format.Write(&out, oneLine{text}); err != nil || out.String() != want {
			t.Errorf("%s: wrote %q, %v; want %q", format.Type, out.String(), err, want)
		}
	}
}

type oneLine struct{ Fields }

func (l oneLine) Lines() []any { return []any{l.Fields} }

func (l oneLine) Table() Table { return Table{} }

type listed struct{}

func (listed) Lines() []any { return nil }

func (listed) Table() Table {
	return Table{Header: []string{"=a", "b"}, Rows: [][]string{{"=1+1", "-2"}}}
}
