package testenv

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCorpus_ReadsConcatenatedFiles(t *testing.T) {
	text := header + `[]byte("a\x00\"(")` + "\nint64(-2)\n" + header + "string(\"go\")\nint(3)\n"
	inputs, err := parseCorpus(text)
	want := [][]any{{[]byte("a\x00\"("), int64(-2)}, {"go", 3}}
	if diff := cmp.Diff(want, inputs); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestParseCorpus_RejectsWhatGoTestDoesNotWrite(t *testing.T) {
	for _, text := range []string{"", header, "x\n" + header + "int(1)\n", header + "int\n", header + "int(x)\n",
		header + "string(a)\n", header + "float64(1)\n"} {
		if inputs, err := parseCorpus(text); err == nil {
			t.Errorf("%q: %v, want an error", text, inputs)
		}
	}
}
