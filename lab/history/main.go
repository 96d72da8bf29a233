package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/spf13/cobra"
)

// Command returns the program of make history.
func Command() *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use: "history", Args: cobra.NoArgs,
		Short: "Import rows by processes that are killed, and count the write units of late rows",
		RunE: func(cmd *cobra.Command, _ []string) error {
			program, err := os.Executable()
			if err != nil {
				return err
			}
			return errors.Join(
				run(cmd.Context(), cmd.OutOrStdout(), func(c checker) { checkKilledImport(c, n, program) }),
				run(cmd.Context(), cmd.OutOrStdout(), func(c checker) { checkLateRows(c, n) }),
			)
		},
	}
	cmd.Flags().IntVarP(&n, "n", "n", 1_000_000, "`number` of rows")
	return cmd
}

// importName is the name of the program that is started and killed.
const importName = "import"

// ImportCommand returns a program that imports files to a URL. Its arguments are the URL, the journal and
// the files.
func ImportCommand() *cobra.Command {
	return &cobra.Command{
		Use: importName + " URL JOURNAL FILE...", Args: cobra.MinimumNArgs(3), Hidden: true,
		Short: "Import files to a URL",
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := load(cmd.Context(), args[0], args[1], args[2:]...)
			return err
		},
	}
}

// checker is what a check needs of a *testing.T, so that the tests and the program run the same checks.
type checker interface {
	Helper()
	Context() context.Context
	TempDir() string
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// report is the checker of the program.
type report struct {
	ctx  context.Context
	out  io.Writer
	mu   sync.Mutex
	errs []error  // guarded by mu
	last []func() // to be called at the end, the newest first; guarded by mu
}

// run runs a check to its end, prints what it logs, and returns what it found.
func run(ctx context.Context, out io.Writer, check func(checker)) error {
	r := &report{ctx: ctx, out: out}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	for _, f := range slices.Backward(r.last) {
		f()
	}
	return errors.Join(r.errs...)
}

func (r *report) Helper() {}

func (r *report) Context() context.Context { return r.ctx }

func (r *report) TempDir() string {
	dir, err := os.MkdirTemp("", "history-")
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (r *report) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = append(r.last, f)
}

func (r *report) Logf(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

func (r *report) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, fmt.Errorf(format, args...))
}

func (r *report) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *report) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }
