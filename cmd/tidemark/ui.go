package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/target"
	"github.com/tidemark-db/tidemark/internal/webui"
)

const uiLong = `Serve pages with your subjects, their charts and their newest events, on this machine, in
the foreground. Run it to look at a deployment in a browser; nothing is deployed for it.

It passes the reads of the pages to the HTTP API: of --stack in AWS, of --url, or of the
"tidemark dev" that runs here (which has the same pages at /ui/). Requests to AWS are
signed with your AWS credentials, or carry the token in ` + target.EnvToken + `. It is read-only,
and it listens on 127.0.0.1 only. Every user of this machine can open the pages while it
runs.

Exit status: 0 stopped by Ctrl-C; 2 wrong usage; 3 failed.`

func uiCommand(to *connection) *cobra.Command {
	var stack, port string
	cmd := &cobra.Command{
		Use:     "ui",
		Short:   "Show charts in a browser, read-only",
		Long:    uiLong,
		Example: "  tidemark ui\n  tidemark ui --stack tidemark-prod\n  tidemark ui --url https://abc.execute-api.eu-west-1.amazonaws.com",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := to.UseStack(cmd.Context(), stack); err != nil {
				return err
			}
			return serveUI(cmd, to, port)
		},
	}
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.Flags().StringVar(&port, "port", "0", "`port` of the pages; 0 is any free port")
	return cmd
}

func serveUI(cmd *cobra.Command, to *connection, port string) error {
	ctx := cmd.Context()
	if to.Resolve(); to.URL == "" {
		return usagef("no HTTP API to read from: no \"tidemark dev\" runs here; start one, or pass --stack or --url")
	}
	client, err := to.HTTPClient(ctx)
	if err != nil {
		return err
	}
	pages, err := webui.ReadOnly(to.URL, client.Transport)
	if err != nil {
		return usagef("--url: %w", err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return fmt.Errorf("listen on port %s of this machine: %w", port, err)
	}
	server := &http.Server{Handler: local.OnlyFromThisMachine(pages), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	fmt.Fprintf(cmd.OutOrStdout(), "Pages of %s, read-only. Ctrl-C ends them.\n\n  http://%s%s\n", to.URL, listener.Addr(), webui.Path)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
