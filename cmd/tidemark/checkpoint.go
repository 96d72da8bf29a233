package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// checkpoint is how far a rebuild is: within which series, and where in it. It is a
// small file, so that a rebuild of hours can be stopped and goes on.
type checkpoint struct {
	What   string       `json:"what"`   // the rebuild it belongs to
	Series model.Series `json:"series"` // the one reached
	Next   model.Time   `json:"next"`   // where to go on in it
	Done   bool         `json:"done"`   // it is rebuilt to its end

	path  string // "" keeps nothing
	began bool   // Series means something
	saved time.Time
}

// savedEvery bounds how much is looked at again after a stop.
const savedEvery = time.Second

// checkpointOf names a rebuild by what it covers and does there: a file of another is
// refused. Only the rate may change between runs.
func checkpointOf(table string, args []string, f rebuildFlags) string {
	return fmt.Sprintf("table %s, subject %q, all %t, from %q, to %q, tier %q, mark %q, rewrite unreadable %t, dry run %t",
		table, strings.Join(args, " "), f.all, f.from, f.to, f.tier, f.mark, f.rewriteUnreadable, f.dryRun)
}

// openCheckpoint reads the file, where there is one.
func openCheckpoint(path, what string) (*checkpoint, error) {
	c := &checkpoint{What: what, path: path}
	if path == "" {
		return c, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, usagef("--resume: %v", err)
	}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, usagef("--resume %s: not written by a rebuild: %v; name another file", path, err)
	}
	if c.What != what {
		return nil, usagef("--resume %s: it is of another rebuild (%s); ask for that one, or name another file", path, c.What)
	}
	c.began = true
	return c, nil
}

// seriesOrder is the order in which a rebuild goes through series.
func seriesOrder(a, b model.Series) int {
	return cmp.Or(strings.Compare(a.String(), b.String()), a.Shard-b.Shard)
}

// rest are the series that are not rebuilt yet.
func (c *checkpoint) rest(all []model.Series) []model.Series {
	if !c.began {
		return all
	}
	for i, s := range all {
		if order := seriesOrder(s, c.Series); order > 0 || order == 0 && !c.Done {
			return all[i:]
		}
	}
	return nil
}

// within is where to go on in a series that was begun.
func (c *checkpoint) within(s model.Series) (model.Time, bool) {
	return c.Next, c.began && !c.Done && s == c.Series
}

// reach keeps how far the rebuild is, now and then, and always at the end of a series.
func (c *checkpoint) reach(s model.Series, next model.Time, done bool) error {
	c.Series, c.Next, c.Done, c.began = s, next, done, true
	if c.path == "" || !done && time.Since(c.saved) < savedEvery {
		return nil
	}
	c.saved = time.Now()
	text, err := json.Marshal(c)
	if err == nil {
		err = replaceFile(c.path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep how far the rebuild is: %w", err)
	}
	return nil
}

// remove forgets a rebuild that is done.
func (c *checkpoint) remove() error {
	if c.path == "" {
		return nil
	}
	if err := os.Remove(c.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget how far the rebuild was: %w", err)
	}
	return nil
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, text []byte) error {
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = draft.Write(text)
	if closed := draft.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		os.Remove(draft.Name())
	}
	return err
}
