package stack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
)

// ErrDataInUse reports that another process keeps its table in the directory.
var ErrDataInUse = errors.New("another tidemark dev keeps its table there")

// OpenData creates the directory that keeps the table of a local stack and locks it until release is called.
// "" means the directory of the working directory's project under the user's cache. fresh empties it first.
func OpenData(dir string, fresh bool) (path string, release func(), err error) {
	if dir == "" {
		if dir, err = projectData(); err != nil {
			return "", nil, fmt.Errorf("find the cache directory: %w; choose a directory with --data", err)
		}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("create the directory of the table: %w: choose another with --data", err)
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	release = func() { _ = lock.Unlock() } // the lock ends with the process, too
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return "", nil, fmt.Errorf("lock the directory of the table: %w: choose another with --data", err)
	case !ok:
		return "", nil, fmt.Errorf("%s: %w: end it, or choose another directory with --data", dir, ErrDataInUse)
	}
	if fresh {
		if err := removeTables(dir); err != nil {
			release()
			return "", nil, fmt.Errorf("delete the kept table: %w", err)
		}
	}
	return dir, release, nil
}

// dynamoDBLocalFiles are the files of DynamoDB Local.
const dynamoDBLocalFiles = "shared-local-instance.db*"

// removeTables removes the files of both engines, and no others.
func removeTables(dir string) (err error) {
	for _, pattern := range []string{dynamoDBLocalFiles, protocol.FileName} {
		old, failed := filepath.Glob(filepath.Join(dir, pattern))
		err = errors.Join(err, failed)
		for _, file := range old {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return err
}

// projectData returns a directory that is the same for every start in the working directory.
func projectData() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	project, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(project))
	return filepath.Join(cache, "tidemark", "dev", filepath.Base(project)+"-"+hex.EncodeToString(sum[:4])), nil
}
