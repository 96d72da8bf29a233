// Command tidemark runs Tidemark on a laptop, loads data, reads what is stored, and checks and repairs
// rollups. Its files hold flags, printing and exit statuses; the work is done by the packages under internal.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/tidemark-db/tidemark/internal/base/release"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

const generateManHelp = `Write the manual pages of all commands

Write a manual page for each command into a directory, such as tidemark-rollups.1. A release has
them in the directory man.

Exit status: 0 done; 2 wrong usage; 3 a file could not be written.

Examples:
  tidemark generate man ~/.local/share/man/man1
  man tidemark-rollups`

func manCommand(*connection) *cobra.Command {
	return &cobra.Command{
		Use:  "man DIRECTORY",
		Long: generateManHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return doc.GenManTree(cmd.Root(), &doc.GenManHeader{Section: "1", Source: "Tidemark " + release.Version()},
				args[0])
		},
	}
}
