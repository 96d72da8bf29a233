package configfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
)

// reader reads the nodes of a file and collects mistakes of their form. It records the position of each
// value, so that mistakes that are found by validation later have a position too.
type reader struct {
	file     string
	at       map[string]position // by path
	mistakes config.Mistakes
}

type position struct{ line, column int }

// value is a node with its path.
type value struct {
	node *yaml.Node
	path string
}

// members are the keys of a mapping, each with the function that reads its value.
type members []member

type member struct {
	name string
	read func(*reader, value)
}

// wrong adds a mistake at v.
func (r *reader) wrong(v value, format string, args ...any) {
	r.mistakes = append(r.mistakes, config.Mistake{
		File: r.file, Line: v.node.Line, Column: v.node.Column,
		Path: v.path, Message: fmt.Sprintf(format, args...),
	})
}

// place adds a mistake that validation found, with the position of its value, or of the
// nearest value that contains it.
func (r *reader) place(m config.Mistake) {
	m.File = r.file
	for path := m.Path; path != ""; path = path[:max(strings.LastIndexByte(path, '.'), 0)] {
		if p, ok := r.at[path]; ok {
			m.Line, m.Column = p.line, p.column
			break
		}
	}
	r.mistakes = append(r.mistakes, m)
}

// document parses data as one YAML document. ok is false if there is nothing to read.
func (r *reader) document(data []byte) (root value, ok bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return value{}, false
	case err != nil:
		r.syntax(err)
		return value{}, false
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		r.wrong(value{node: &second},
			"a second document begins here, and a configuration is one document: remove the ---")
	case !errors.Is(err, io.EOF):
		r.syntax(err)
	}
	return value{node: doc.Content[0]}, true
}

// syntax adds a mistake for an error of the YAML parser. Its line may be one too low, because
// the parser counts some line breaks from the start of the value.
func (r *reader) syntax(err error) {
	m := config.Mistake{File: r.file}
	said := strings.TrimPrefix(err.Error(), "yaml: ")
	if at, what, ok := strings.Cut(said, ": "); ok {
		if line, err := strconv.Atoi(strings.TrimPrefix(at, "line ")); err == nil {
			m.Line, said = line, what+", on this line or the next"
		}
	}
	m.Message = "not YAML: " + said + "; correct it"
	r.mistakes = append(r.mistakes, m)
}

// meant are keys that people try, by the key that has what they want.
var meant = map[string]string{
	"retention": "tiers", "raw": "tiers", "ttl": "tiers", "rollups": "tiers", "hour": "tiers", "day": "tiers",
	"fields": "measures", "tags": "dimensions", "unique": "distinct",
	"partitions": "shards",
}

// object reads a mapping with known keys.
func (r *reader) object(v value, known members) {
	r.each(v, func(name string, at *yaml.Node, child value) {
		for _, m := range known {
			if m.name == name {
				m.read(r, child)
				return
			}
		}
		hint := names.Meant(meant[name])
		if !slices.Contains(known.names(), meant[name]) {
			hint = names.DidYouMean(name, known.names())
		}
		all := strings.Join(known.names(), ", ")
		r.wrong(value{at, child.path}, "unknown key%s; want one of: %s", hint, all)
	})
}

// each calls visit for the members of a mapping, in the order of the file. A null is an empty
// mapping, so that all lines of a section can be commented out.
func (r *reader) each(v value, visit func(name string, at *yaml.Node, child value)) {
	if r.isNull(v) || !r.is(v, yaml.MappingNode, "a mapping (key: value)") {
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		at := v.node.Content[i]
		child := value{v.node.Content[i+1], config.Join(v.path, at.Value)}
		switch {
		case at.Kind != yaml.ScalarNode:
			r.wrong(value{at, v.path}, "this key is not text: write key: value")
		case seen[at.Value]:
			r.wrong(value{at, child.path}, "this key is there twice: remove one of them")
		default:
			seen[at.Value] = true
			r.remember(at, child)
			visit(at.Value, at, child)
		}
	}
}

// remember records the position of child: of a scalar itself, of any other value its key.
func (r *reader) remember(at *yaml.Node, child value) {
	p := position{at.Line, at.Column}
	if child.node.Kind == yaml.ScalarNode && !r.isNull(child) {
		p = position{child.node.Line, child.node.Column}
	}
	r.at[child.path] = p
}

// needs adds a mistake if the mapping v, which was read, does not have the key.
func (r *reader) needs(v value, name, remedy string) {
	if _, ok := r.at[config.Join(v.path, name)]; !ok {
		r.wrong(v, "%s is missing: %s", name, remedy)
	}
}

func (r *reader) isNull(v value) bool {
	return v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == "!!null"
}

// is reports whether v has the wanted node kind, and adds a mistake if not.
func (r *reader) is(v value, kind yaml.Kind, want string) bool {
	switch {
	case v.node.Kind == kind:
		return true
	case v.node.Kind == yaml.AliasNode:
		r.wrong(v, "anchors and aliases are not supported: write the value out")
	default:
		r.wrong(v, "%s, want %s", describe(v.node), want)
	}
	return false
}

// describe returns what a node is, for messages.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "this is a mapping"
	case yaml.SequenceNode:
		return "this is a list"
	}
	if n.ShortTag() == "!!null" {
		return "there is no value"
	}
	return config.Clip(n.Value) + " is a single value"
}

func (m members) names() []string { return lists.Map(m, func(x member) string { return x.name }) }
