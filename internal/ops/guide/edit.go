package guide

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// errEdit marks what cannot be edited and has to be written by hand.
var errEdit = errors.New("write it by hand")

// set returns a YAML document in which the value at a path of keys is another one, written as YAML on
// one line. Comments, order and all other lines stay. A key that is missing becomes the first of its
// mapping. The error wraps errEdit if the value that is replaced is not on one line.
func set(text []byte, value string, path ...string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("the file is empty: %w", errEdit)
	}
	in := doc.Content[0]
	for i, key := range path {
		if in.Kind != yaml.MappingNode || in.Style&yaml.FlowStyle != 0 || len(in.Content) == 0 {
			return nil, fmt.Errorf("%s has no lines of keys: %w", strings.Join(path[:i], "."), errEdit)
		}
		at := keyIndex(in, key)
		if at < 0 {
			first := in.Content[0]
			lines = slices.Insert(lines, first.Line-1, keyLines(path[i:], value, first.Column-1)...)
			return []byte(strings.Join(lines, "\n")), nil
		}
		in = in.Content[at+1]
	}
	line := []rune(lines[in.Line-1])
	begin := min(in.Column-1, len(line))
	length := valueLength(line[begin:])
	if length == 0 || in.Kind != yaml.ScalarNode && in.Style&yaml.FlowStyle == 0 {
		return nil, fmt.Errorf("%s is not on one line: %w", strings.Join(path, "."), errEdit)
	}
	rest := string(line[begin+length:])
	if comment := strings.TrimLeft(rest, " "); comment != "" { // which stays in its column if it can
		blanks := len(rest) - len(comment) + length - len([]rune(value))
		rest = strings.Repeat(" ", max(blanks, 1)) + comment
	}
	lines[in.Line-1] = string(line[:begin]) + value + rest
	return []byte(strings.Join(lines, "\n")), nil
}

// keyIndex returns the index of a key in the content of a mapping; -1 if it has none.
func keyIndex(mapping *yaml.Node, key string) int {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// keyLines returns nested keys, the last one with a value, each two spaces further in.
func keyLines(path []string, value string, indent int) (lines []string) {
	for i, key := range path {
		lines = append(lines, strings.Repeat(" ", indent+2*i)+key+":")
	}
	lines[len(lines)-1] += " " + value
	return lines
}

// valueLength returns how long the value is that begins a line: a text in quotes, a list or mapping in
// brackets, or plain text up to a comment. It is 0 if the value does not end on this line.
func valueLength(line []rune) int {
	depth := 0 // of brackets
	for i := 0; i < len(line); i++ {
		begins := i == 0 || depth > 0 // within plain text, quotes and brackets are a part of it
		switch c := line[i]; {
		case begins && (c == '"' || c == '\''):
			if i = closingQuote(line, i); i < 0 {
				return 0
			}
		case begins && strings.ContainsRune("[{", c):
			depth++
			continue
		case strings.ContainsRune("]}", c) && depth > 0:
			depth--
		case c == '#' && depth == 0 && i > 0 && line[i-1] == ' ':
			return plainLength(line[:i])
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	if depth > 0 || len(line) > 0 && strings.ContainsRune("|>", line[0]) {
		return 0
	}
	return plainLength(line)
}

// closingQuote returns the index of the quote that ends the text whose opening quote is at an index; -1 if
// the text does not end on this line.
func closingQuote(line []rune, opening int) int {
	quote := line[opening]
	for i := opening + 1; i < len(line); i++ {
		switch {
		case quote == '"' && line[i] == '\\', quote == '\'' && strings.HasPrefix(string(line[i:]), "''"):
			i++ // with the next character it is one of the text
		case line[i] == quote:
			return i
		}
	}
	return -1
}

// plainLength returns the length of a plain text without the blanks that follow it.
func plainLength(line []rune) int { return len([]rune(strings.TrimRight(string(line), " "))) }
