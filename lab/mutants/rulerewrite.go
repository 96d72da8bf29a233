package mutants

import (
	"cmp"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// insertion is a text at a byte offset of a file; cut bytes of the source after it are removed.
type insertion struct {
	at, cut int
	closes  bool // the end of a node: before the beginnings at the same offset
	order   int  // among insertions at one offset
	text    string
}

// plantAll returns the text of each file of the targets with all faults behind switches, by its path,
// and the faults.
func plantAll(root string, packages []checked) (map[string]string, []fault, error) {
	texts := map[string]string{switchFile: switchSource}
	var faults []fault
	for _, p := range packages {
		for _, name := range slices.Sorted(mapsKeys(p.files)) {
			path := filepath.Join(p.dir, name)
			source, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				return nil, nil, err
			}
			first := len(faults)
			text := p.plant(p.files[name], path, string(source), &faults)
			if len(faults) > first {
				texts[path] = text
			}
		}
	}
	addNames(faults)
	return texts, faults, nil
}

func mapsKeys(files map[string]*ast.File) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}
}

// plant returns the text of a file with its faults, and adds them.
func (p *checked) plant(f *ast.File, path, source string, faults *[]fault) string {
	offset := func(n ast.Node) (from, to int) {
		return p.fset.Position(n.Pos()).Offset, p.fset.Position(n.End()).Offset
	}
	_, name := offset(f.Name)
	insertions := []insertion{{at: name, closes: true,
		text: "; import mutantswitch \"" + module + "/" + filepath.Dir(switchFile) + "\""}}
	p.sites(f, func(function string, s site) {
		id := len(*faults)
		from, to := offset(s.node)
		*faults = append(*faults, fault{id: id, name: faultName(path, function, s.rule, source[from:to]),
			line: p.fset.Position(s.node.Pos()).Line})
		if s.before != "" {
			insertions = append(insertions,
				insertion{at: from, order: -to, text: fmt.Sprintf(s.before, id)},
				insertion{at: to, closes: true, order: -from, text: s.after})
		}
		for _, e := range s.inner {
			insertions = append(insertions, p.inner(source, id, s, e))
		}
	})
	return apply(source, insertions)
}

// inner returns a change within a node. \x01 and \x02 in it are the exchanged arguments.
func (p *checked) inner(source string, id int, s site, e change) insertion {
	at, end := p.fset.Position(e.from).Offset, p.fset.Position(e.to).Offset
	text := e.text
	if strings.HasPrefix(text, "\x00") {
		part := func(e change) string { return source[p.fset.Position(e.from).Offset:p.fset.Position(e.to).Offset] }
		text = strings.NewReplacer("\x01", part(s.inner[0]), "\x02",
			part(s.inner[1])).Replace(fmt.Sprintf(text[1:], id))
	}
	return insertion{at: at, cut: end - at, order: -end, text: text}
}

func apply(source string, all []insertion) string {
	slices.SortStableFunc(all, func(a, b insertion) int {
		if a.at != b.at || a.closes == b.closes {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
		}
		if a.closes {
			return -1
		}
		return 1
	})
	var out strings.Builder
	done := 0
	for _, i := range all {
		out.WriteString(source[done:max(done, i.at)])
		out.WriteString(i.text)
		done = max(done, i.at+i.cut)
	}
	out.WriteString(source[done:])
	return out.String()
}
