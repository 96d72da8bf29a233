// Package fleet compares groups with an outsider: a day of a fleet is sent through the running stack, in
// slices of an hour, with late and repeated readings, devices that move to another site, batches that are
// delivered again and in pieces, and an aggregate function that is killed. Then DuckDB counts the readings,
// and every bucket of every group and every list of members must be equal. With --in-process the functions'
// code runs on a table in memory, with the same faults, and counts its units. Tests play random histories
// of moves and purges of members in memory, and recount what readers of groups get.
package fleet

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// settings declare the groups: two levels of one hierarchy, and one across it.
const settings = "kinds: {READING: {groups: [site, site/line, model]}}\n"

// firstHour is the begin of the day that is played, by the clock of the stack.
var firstHour = model.NewTime(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC))

// Fleet is what is played.
type Fleet struct {
	Devices, Hours int
	Every          time.Duration // between two readings of a device
	Seed           uint64
	Functions      string // directory of the function binaries; "" means build/local
	Python         string // with DuckDB
	InProcess      bool   // without the stack: the code of the functions on a table in memory
}

// Command returns the program of make oracle-fleet.
func Command() *cobra.Command {
	f := Fleet{}
	cmd := &cobra.Command{
		Use: "oracle-fleet", Args: cobra.NoArgs,
		Short: "Send a day of a fleet through the running stack, and compare every bucket of its groups",
		RunE: func(cmd *cobra.Command, _ []string) error {
			began := time.Now()
			r, err := f.Play(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Printf("%stook %s\n", r, time.Since(began).Round(time.Second))
			return r.Err()
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.Devices, "devices", 2000, "`number` of devices")
	flags.IntVar(&f.Hours, "hours", 24, "`number` of hours")
	flags.DurationVar(&f.Every, "every", 30*time.Minute, "`time` between two readings of a device")
	flags.Uint64Var(&f.Seed, "seed", 1, "`seed` of the readings and the faults")
	flags.StringVar(&f.Functions, "functions", "", "`directory` of the function binaries (default build/local)")
	flags.BoolVar(&f.InProcess, "in-process", false, "use a table in memory and the functions' code "+
		"without processes, and count units")
	flags.StringVar(&f.Python, "python", "build/venv/bin/python", "`program` that has DuckDB")
	return cmd
}

// Play plays the day and compares it.
func (f Fleet) Play(ctx context.Context) (r Result, err error) {
	dir, err := os.MkdirTemp("", "fleet-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	record := f.record
	if f.InProcess {
		record = f.recordInProcess
	}
	if r, err = record(ctx, dir); err != nil {
		return r, err
	}
	return r, r.compare(ctx, f.Python, dir)
}

// record plays the day, and writes what was sent and the rows of the groups to files of dir.
func (f Fleet) record(ctx context.Context, dir string) (r Result, err error) {
	s, at, err := f.start(ctx, dir)
	if err != nil {
		return r, err
	}
	defer s.Stop()
	if r.Sent, err = f.send(ctx, running{s, at}, filepath.Join(dir, "readings.ndjson")); err != nil {
		return r, err
	}
	if err := settle(ctx, s, at); err != nil {
		return r, err
	}
	client, err := dynamo.NewClient(ctx, "", s.Endpoint)
	if err != nil {
		return r, err
	}
	rows, err := loggers.Rows(ctx, dynamo.New(client, s.Table))
	if err != nil {
		return r, err
	}
	r.Stats = s.Stats()
	return r, writeRows(dir, rows)
}

// start starts the stack with its clock at the first hour.
func (f Fleet) start(ctx context.Context, dir string) (*stack.Stack, clock.Clock, error) {
	path := filepath.Join(dir, "tidemark.yaml")
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		return nil, clock.Clock{}, err
	}
	cfg, err := configfile.Load(path, domains.Kinds()...)
	if err != nil {
		return nil, clock.Clock{}, err
	}
	at := clock.At(filepath.Join(dir, "clock"))
	if err := at.Set(firstHour.Time()); err != nil {
		return nil, at, err
	}
	s, err := stack.Start(ctx, stack.Options{Config: cfg, ConfigPath: path, BinaryDir: f.Functions, Dir: dir,
		Clock: at, Faults: f.faults()})
	return s, at, err
}

// faults delivers one batch in five again and one in five in pieces, and kills the aggregate function in one
// of ten.
func (f Fleet) faults() stack.Faults {
	faults := stack.Faults{Seed: f.Seed, Again: 5, Recut: 5}
	for i := range 1000 {
		at := []stack.Moment{stack.Running, stack.Responding}[i%2]
		faults.Kills = append(faults.Kills, stack.Shot{Batch: 5 + 10*i, At: at})
	}
	return faults
}

// settle moves the clock to the end of the day, and on until late readings are in the rows of their groups:
// their buckets close at a tick of five minutes, and a sweep begins some minutes later.
func settle(ctx context.Context, s *stack.Stack, at clock.Clock) error {
	if err := s.MoveClock(ctx, max(0, firstHour.Time().Add(24*time.Hour).Sub(at.Now()))); err != nil {
		return err
	}
	for range 8 {
		if err := s.MoveClock(ctx, 10*time.Minute); err != nil {
			return err
		}
	}
	return s.Idle(ctx)
}

//go:embed compare.py
var program string

// compare lets DuckDB compare the rows with what was sent.
func (r *Result) compare(ctx context.Context, python, dir string) error {
	cmd := exec.CommandContext(ctx, python, "-c", program, dir)
	out, err := cmd.Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		return fmt.Errorf("compare with DuckDB: %w\n%s", err, failed.Stderr)
	} else if err != nil {
		return fmt.Errorf("compare with DuckDB: %w; scripts/venv.sh installs it", err)
	}
	return r.parse(out)
}
