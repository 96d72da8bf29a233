// Package upgrade runs the functions of two releases on one table, as a deployment and its rollback do: the
// older ones write what the newer ones read, the newer ones what the older ones read, and both at once.
package upgrade

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const (
	data   = "test/data/loggers.csv.gz"
	oracle = "test/data/loggers.oracle.csv.gz"
)

// release is one of both.
type release int

const (
	oldRelease release = iota
	newRelease
)

// step is a state of a deployment: which release each function has.
type step struct {
	says           string
	ingest, others release
}

// steps are an upgrade, the way back and the upgrade again. Functions are updated one after another, in any
// order.
var steps = []step{
	{says: "the older release", ingest: oldRelease, others: oldRelease},
	{says: "aggregate and the others are newer", ingest: oldRelease, others: newRelease},
	{says: "ingest is newer, the others older", ingest: newRelease, others: oldRelease},
	{says: "the newer release", ingest: newRelease, others: newRelease},
	{says: "back to the older release", ingest: oldRelease, others: oldRelease},
	{says: "the newer release again", ingest: newRelease, others: newRelease},
}

// Command returns the program of make upgrade.
func Command() *cobra.Command {
	from := ""
	cmd := &cobra.Command{
		Use: "upgrade", Args: cobra.NoArgs,
		Short: "Run functions of an older commit and of this checkout on one table, and check every bucket",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" {
				tag, err := NewestTag(cmd.Context())
				if err != nil {
					return err
				}
				from = tag
			}
			return Run(cmd.Context(), cmd.OutOrStdout(), from)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the older `commit` (default the newest tag of a release)")
	return cmd
}

// ErrNoTag reports that no release is tagged.
var ErrNoTag = errors.New("no release is tagged: name an older commit, --from COMMIT")

// NewestTag returns the newest tag of a release. The error is ErrNoTag if there is none.
func NewestTag(ctx context.Context) (string, error) {
	tags, err := output(ctx, "", "git", "tag", "--list", "v*", "--sort=-v:refname")
	if err != nil {
		return "", err
	}
	newest, _, _ := strings.Cut(tags, "\n")
	if newest == "" {
		return "", ErrNoTag
	}
	return newest, nil
}

// Run runs the steps from the older commit on. In each, a part of the logger data goes through ingest, with
// batches of the table stream delivered again and in pieces. After it the commands of both releases recount
// every bucket, and at the end an independent oracle has every one of them.
func Run(ctx context.Context, out io.Writer, from string) error {
	began := time.Now()
	dir, err := os.MkdirTemp("", "tidemark-upgrade-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	old, err := older(ctx, from, dir)
	if err != nil {
		return err
	}
	current, err := here(ctx, dir)
	if err != nil {
		return err
	}
	parts, err := split(data, dir, len(steps))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "older     %s, built in %s\n", old.commit, time.Since(began).Round(time.Second))
	if err := os.Mkdir(filepath.Join(dir, "table"), 0o755); err != nil {
		return err
	}
	u := upgrade{out: out, dir: dir, checkouts: [...]checkout{oldRelease: old, newRelease: current}}
	var rows []rollup.Row
	for n, s := range steps {
		if rows, err = u.run(ctx, n, s, parts[n]); err != nil {
			return fmt.Errorf("step %d, %s: %w", n+1, s.says, err)
		}
	}
	expects, err := loggers.ReadOracle(oracle)
	if err != nil {
		return err
	}
	result := loggers.Compare(rows, expects)
	result.Print(out)
	fmt.Fprintf(out, "took %s\n", time.Since(began).Round(time.Second))
	if len(result.Wrong) > 0 {
		return errors.New("the rollups differ from the oracle")
	}
	return nil
}

// upgrade is a running Run.
type upgrade struct {
	out       io.Writer
	dir       string
	checkouts [2]checkout
}

// run runs a step on the table of the steps before it, and returns all rows.
func (u *upgrade) run(ctx context.Context, n int, s step, part string) ([]rollup.Row, error) {
	functions := filepath.Join(u.dir, fmt.Sprint("step", n))
	ingest, old := u.checkouts[s.ingest], u.checkouts[oldRelease]
	if err := mixed(functions, ingest, u.checkouts[s.others], u.checkouts[newRelease]); err != nil {
		return nil, err
	}
	rig, err := loggers.StartRig(ctx, loggers.Options{
		Root: old.root, Command: ingest.command, Functions: functions, Data: filepath.Join(u.dir, "table"),
		Faults: stack.Faults{Seed: uint64(n + 1), Again: 5, Recut: 5},
	})
	if err != nil {
		return nil, err
	}
	defer rig.Stop()
	if err := rig.Tidemark(ctx, io.Discard, "replay", "--wait", "--map", loggers.Map, part); err != nil {
		return nil, err
	}
	rows, err := rig.Rows(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(u.out, "step %d    %s: %d rows\n", n+1, s.says, len(rows))
	for _, c := range u.checkouts {
		var said bytes.Buffer
		if err := rig.Run(ctx, &said, c.command, "verify"); err != nil {
			return nil, fmt.Errorf("verify of %s: %w\n%s", c.commit, err, said.String())
		}
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		fmt.Fprintf(u.out, "  verify of %s: %s\n", c.commit, lines[len(lines)-1])
	}
	return rows, nil
}

// split divides a gzipped CSV file into parts of equal length, in dir, and returns their paths. Each has the
// header.
func split(path, dir string, parts int) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	all, err := csv.NewReader(packed).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(all) < 1+parts {
		return nil, fmt.Errorf("%s has %d lines: want a header and a row for each of %d parts", path, len(all),
			parts)
	}
	header, rows := all[0], all[1:]
	paths := make([]string, parts)
	for n := range paths {
		paths[n] = filepath.Join(dir, fmt.Sprintf("part%d.csv", n+1))
		var text bytes.Buffer
		some := rows[len(rows)*n/parts : len(rows)*(n+1)/parts]
		if err := csv.NewWriter(&text).WriteAll(append([][]string{header}, some...)); err != nil {
			return nil, err
		}
		if err := os.WriteFile(paths[n], text.Bytes(), 0o644); err != nil {
			return nil, err
		}
	}
	return paths, nil
}
