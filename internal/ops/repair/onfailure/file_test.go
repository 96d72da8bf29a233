package onfailure

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidemark-db/tidemark/internal/data/files"
)

func TestFile_LosesNoLineThatIsAppendedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write := func(to, text string) {
		if err := files.Append(to, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write(path+".redriving", "left by a killed run\n")
	write(path, "one\ntwo\n")
	f, err := OpenFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Receive(t.Context())
	if err != nil || len(got) != 3 {
		t.Fatalf("received %v, %v", got, err)
	}
	for _, m := range got {
		if string(m.Body) != "two" {
			if err := f.Remove(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(path+".redriving", "by a writer that had the file open\n")
	write(path, "by a writer that opened it since\n")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(path)
	if want := "by a writer that opened it since\ntwo\nby a writer that had the file open\n"; err != nil ||
		string(left) != want {
		t.Errorf("left %q, %v; want %q", left, err, want)
	}
}

func TestFile_ReadOnlyChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Receive(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("received %v, %v; want one message", got, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadFile(path); err != nil || string(left) != "one\n" {
		t.Errorf("left %q, %v", left, err)
	}
}

func TestFile_MissingFileHasNoMessages(t *testing.T) {
	f, err := OpenFile(filepath.Join(t.TempDir(), "f"), false)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Receive(t.Context()); err != nil || len(got) != 0 || f.Close() != nil {
		t.Errorf("received %v, %v", got, err)
	}
}
