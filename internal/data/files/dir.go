package files

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dir is a folder of this machine.
type dir string

var _ Folder = dir("")

const bufferSize = 1 << 16

func (d dir) path(name string) string { return filepath.Join(string(d), filepath.FromSlash(name)) }

// Create replaces a file completely or not at all.
func (d dir) Create(_ context.Context, name string, write func(io.Writer) error) error {
	return Replace(d.path(name), write)
}

// Replace writes a file of this machine completely or not at all: a temporary one next to it, which
// it renames. It creates a folder that is missing.
func Replace(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // has no effect after the rename
	if err := errors.Join(fill(file, write), file.Sync(), file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Append appends text to a file of this machine, and creates it and its folder if they are missing.
func Append(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

func fill(w io.Writer, write func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(w, bufferSize)
	if err := write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

// Open opens a file.
func (d dir) Open(_ context.Context, name string) (File, error) { return OpenLocal(d.path(name)) }

// OpenLocal opens a file of this machine.
func OpenLocal(path string) (File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return sized(file)
}

// sized returns an open file with its size.
func sized(file *os.File) (File, error) {
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &localFile{file, info.Size()}, nil
}

type localFile struct {
	*os.File
	size int64
}

func (f *localFile) Size() int64 { return f.size }

// List walks the folder. Hidden files and folders are left out: temporary files of Create, and .tidemark of a
// dev.
func (d dir) List(_ context.Context, prefix string) (names []string, err error) {
	err = filepath.WalkDir(string(d), func(path string, entry fs.DirEntry, err error) error {
		isHidden := path != string(d) && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err == nil && entry.IsDir() && isHidden:
			return filepath.SkipDir
		case err != nil || entry.IsDir() || isHidden:
			return err
		}
		relative, err := filepath.Rel(string(d), path)
		name := filepath.ToSlash(relative)
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// WriteTo writes to the named file as Create does, or to w if the name is empty.
func WriteTo(ctx context.Context, name string, w io.Writer, write func(io.Writer) error) error {
	if name == "" {
		return fill(w, write)
	}
	return dir(filepath.Dir(name)).Create(ctx, filepath.Base(name), write)
}
