package mutants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// checked is a type-checked package.
type checked struct {
	dir   string // from the module's root
	files map[string]*ast.File
	info  *types.Info
	fset  *token.FileSet
}

// check type-checks the targets, against the compiled form of what they import.
func check(ctx context.Context, root string) (all []checked, err error) {
	args := []string{"list", "-deps", "-export", "-json=ImportPath,Export,GoFiles,Dir"}
	for _, t := range targets {
		args = append(args, "./"+t)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exports, sources := map[string]string{}, map[string][]string{}
	for decoder := json.NewDecoder(out); ; {
		var p struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath], sources[p.Dir] = p.Export, p.GoFiles
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	for _, t := range targets {
		p := checked{dir: t, files: map[string]*ast.File{}, fset: fset}
		if err := p.load(filepath.Join(root, t), sources[filepath.Join(root, t)], from); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (p *checked) load(dir string, names []string, from types.Importer) error {
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(p.fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		p.files[name], files = f, append(files, f)
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	_, err := (&types.Config{Importer: from}).Check(p.dir, p.fset, files, p.info)
	return err
}
