package stack

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOpenData_OneStackAtATime(t *testing.T) {
	dir := t.TempDir()
	path, release, err := OpenData(dir, false)
	if err != nil || path != dir {
		t.Fatal(path, err)
	}
	if _, _, err := OpenData(dir, false); !errors.Is(err, ErrDataInUse) {
		t.Errorf("a second stack in the directory: %v, want %v", err, ErrDataInUse)
	}
	release()
	if _, release, err = OpenData(dir, false); err != nil {
		t.Fatal(err)
	}
	release()
}

func TestOpenData_FreshRemovesOnlyTheTable(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"shared-local-instance.db", "mine.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, release, err := OpenData(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := os.Stat(filepath.Join(dir, "shared-local-instance.db")); !os.IsNotExist(err) {
		t.Errorf("the table is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine.txt")); err != nil {
		t.Error(err)
	}
}

func TestOpenData_DefaultsToADirectoryOfTheProject(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	var paths []string
	for _, project := range []string{t.TempDir(), t.TempDir()} {
		t.Chdir(project)
		path, release, err := OpenData("", false)
		if err != nil {
			t.Fatal(err)
		}
		release()
		paths = append(paths, path)
	}
	if paths[0] == paths[1] {
		t.Errorf("two projects keep their tables in %s", paths[0])
	}
}
