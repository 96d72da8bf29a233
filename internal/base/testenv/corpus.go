package testenv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// header is the first line of each corpus file that go test -fuzz writes.
const header = "go test fuzz v1\n"

// AddCorpus adds the inputs in testdata/NAME.corpus to the fuzzer NAME. The file is the
// concatenation of corpus files of go test -fuzz. To add a new input:
//
//	cat testdata/fuzz/NAME/* >> testdata/NAME.corpus
func AddCorpus(f *testing.F) {
	f.Helper()
	path := filepath.Join("testdata", f.Name()+".corpus")
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	inputs, err := parseCorpus(string(text))
	if err != nil {
		f.Fatalf("%s: %v", path, err)
	}
	for _, input := range inputs {
		f.Add(input...)
	}
}

// parseCorpus returns the arguments of each input.
func parseCorpus(text string) (inputs [][]any, err error) {
	before, rest, _ := strings.Cut(text, header)
	if before != "" || rest == "" {
		return nil, fmt.Errorf("want a first line %q and an input", strings.TrimSpace(header))
	}
	for entry := range strings.SplitSeq(rest, header) {
		var input []any
		for line := range strings.Lines(entry) {
			argument, err := parseArgument(strings.TrimSpace(line))
			if err != nil {
				return nil, fmt.Errorf("%.40q: %w", line, err)
			}
			input = append(input, argument)
		}
		inputs = append(inputs, input)
	}
	return inputs, nil
}

var errArgument = errors.New(`want []byte("..."), string("..."), int(N) or int64(N)`)

// parseArgument parses a conversion of a literal, such as []byte("x") or int64(-1).
func parseArgument(line string) (any, error) {
	name, literal, found := strings.Cut(strings.TrimSuffix(line, ")"), "(")
	if !found {
		return nil, errArgument
	}
	switch name {
	case "[]byte":
		s, err := strconv.Unquote(literal)
		return []byte(s), err
	case "string":
		return strconv.Unquote(literal)
	case "int":
		return strconv.Atoi(literal)
	case "int64":
		return strconv.ParseInt(literal, 10, 64)
	}
	return nil, errArgument
}
