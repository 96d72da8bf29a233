//go:build unix

package ownmachine

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// MayRun returns an error unless the files, and the directories that have them, belong to this user, to root
// or to the owner of the working directory, which this user chose. Above it, in a shared directory such as
// /tmp, anyone can put what would run as this user.
func MayRun(files ...string) error {
	chosen, err := owner(".")
	if err != nil {
		return err
	}
	for _, file := range files {
		for _, at := range []string{file, filepath.Dir(file)} {
			switch by, err := owner(at); {
			case err != nil:
				return err
			case by != 0 && by != os.Getuid() && by != chosen:
				return fmt.Errorf("%s belongs to another user, and would run as you: name it explicitly if you trust it",
					at)
			}
		}
	}
	return nil
}

// owner returns the id of the user that a file belongs to.
func owner(file string) (int, error) {
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return int(info.Sys().(*syscall.Stat_t).Uid), nil
}
