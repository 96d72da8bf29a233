// Command tidemark runs Tidemark on a laptop, loads data, reads what is stored, and checks
// and repairs rollups. Its files hold flags, printing and exit statuses; the work is done
// by the packages under internal.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
