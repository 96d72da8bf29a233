package jsonscan_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/transform"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
)

// NaN and Infinity are replaced outside of strings, in a whole text and in one that is read byte by byte.
func TestReplaceNotNumbers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for text, want := range map[string]string{
		`[NaN,Infinity,-Infinity,-1]`:       `[null,"Infinity","-Infinity",-1]`,
		`{"NaN":"NaN, \"NaN","\\":NaN}`:     `{"NaN":"NaN, \"NaN","\\":null}`,
		`{"a":-`:                            `{"a":-`,
		`{"a":"\\","b":"Infinity"}`:         `{"a":"\\","b":"Infinity"}`,
		`[Na, I, -Inf, "` + long + `", NaN`: `[Na, I, -Inf, "` + long + `", null`,
	} {
		got, found := jsonscan.ReplaceNotNumbers([]byte(text))
		if string(got) != want || found != (text != want) {
			t.Errorf("%.80s is %.80s, %v; want %.80s", text, got, found, want)
		}
		bytes := iotest.OneByteReader(strings.NewReader(text))
		read, err := io.ReadAll(transform.NewReader(bytes, &jsonscan.NotNumbers{}))
		if err != nil || string(read) != want {
			t.Errorf("%.80s, byte by byte, is %.80s, %v; want %.80s", text, read, err, want)
		}
	}
}
