package httpapi

import (
	"bytes"
	"testing"
)

func TestWriteCSV_NeutralisesFormulasAndControlSequences(t *testing.T) {
	for cell, want := range map[string]string{
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+A1": "'+A1", "-A1": "'-A1", "@SUM(1)": "'@SUM(1)", "\t=1": "'\t=1",
		"-5.25": "-5.25", "+5": "+5", "-1e-7": "-1e-7", "": "", "a=b": "a=b", "hall": "hall", "ümlaut": "ümlaut",
		"\x1b[31mred": "·[31mred", "a\rb": "a·b", "\u009b2J": "·2J",
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

type listed struct{}

func (listed) Lines() []any { return nil }

func (listed) Table() Table {
	return Table{Header: []string{"=a", "b"}, Rows: [][]string{{"=1+1", "-2"}}}
}
