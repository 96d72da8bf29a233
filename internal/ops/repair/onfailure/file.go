package onfailure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tidemark-db/tidemark/internal/data/files"
)

// File is the on-failure file of a stack on this machine: one message per line. The stack may append to it at
// any time. Open therefore renames it first, and Close appends the messages that are left to the original
// name: no line is lost. It is for one goroutine.
type File struct {
	path     string
	readOnly bool

	file    *os.File // nil if there was no file
	next    int      // number of the last line
	lines   []Message
	removed map[string]bool // by handle
}

// renamedTo is appended to the name of the file while a run processes it.
const renamedTo = ".redriving"

// OpenFile opens the file for one run; a missing file has no messages. If readOnly, it
// is neither renamed nor changed.
func OpenFile(path string, readOnly bool) (*File, error) {
	f := &File{path: path, readOnly: readOnly, removed: map[string]bool{}}
	renamed := path + renamedTo
	if err := restore(renamed, path); err != nil {
		return nil, fmt.Errorf("open the on-failure file: %w", err)
	}
	if readOnly {
		return f, f.open(path)
	}
	if err := os.Rename(path, renamed); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open the on-failure file: %w", err)
	}
	return f, f.open(renamed)
}

// restore appends to the file what a killed run left under the other name.
func restore(renamed, path string) error {
	left, err := os.ReadFile(renamed)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = files.Append(path, left)
	}
	if err == nil {
		err = os.Remove(renamed)
	}
	return err
}

func (f *File) open(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the on-failure file: %w", err)
	}
	f.file = file
	return nil
}

// Receive returns the messages that were not returned before; none means that there are
// no more. A stack that opened the file before it was renamed may still append to it.
func (f *File) Receive(context.Context) ([]Message, error) {
	if f.file == nil {
		return nil, nil
	}
	text, err := io.ReadAll(f.file)
	if err != nil {
		return nil, fmt.Errorf("read the on-failure file: %w", err)
	}
	var fresh []Message
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		f.next++
		id := fmt.Sprintf("%s:%d", f.path, f.next)
		fresh = append(fresh, Message{ID: id, Handle: id, Body: line})
	}
	f.lines = append(f.lines, fresh...)
	return fresh, nil
}

// Remove removes a message permanently, once Close has returned.
func (f *File) Remove(_ context.Context, m Message) error {
	f.removed[m.Handle] = true
	return nil
}

// Close appends the messages that were not removed to the file and then deletes the
// renamed one. A crash between the two duplicates messages, which is harmless.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	defer f.file.Close()
	if f.readOnly {
		return nil
	}
	if _, err := f.Receive(context.Background()); err != nil {
		return err
	}
	var left []byte
	for _, m := range f.lines {
		if !f.removed[m.Handle] {
			left = append(append(left, m.Body...), '\n')
		}
	}
	if len(left) > 0 {
		if err := files.Append(f.path, left); err != nil {
			return fmt.Errorf("keep the messages that are left: %w", err)
		}
	}
	if err := os.Remove(f.file.Name()); err != nil {
		return fmt.Errorf("close the on-failure file: %w", err)
	}
	return nil
}

// Waiting returns how many messages an on-failure file has, also while a run processes it. It
// changes nothing. The error wraps os.ErrNotExist if the directory of the file does not exist.
func Waiting(path string) (n int, err error) {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return 0, fmt.Errorf("read the on-failure file: %w", err)
	}
	for _, name := range []string{path, path + renamedTo} {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, fmt.Errorf("read the on-failure file: %w", err)
		}
		for line := range bytes.Lines(text) {
			if len(bytes.TrimSpace(line)) > 0 {
				n++
			}
		}
	}
	return n, nil
}
