package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/webui"
	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
	"github.com/tidemark-db/tidemark/internal/ops/deployment"
)

const uiHelp = `Show charts in a browser, read-only

Serve pages with your subjects, their charts and their newest events, on this machine, in
the foreground. Run it to look at a deployment in a browser; nothing is deployed for it.

It passes the reads of the pages to the HTTP API: of --stack in AWS, of --url, or of the
"tidemark dev" that runs here (which has the same pages at /ui/). Requests to AWS are
signed with your AWS credentials, or carry the token in TIDEMARK_TOKEN. It is read-only,
and it listens on 127.0.0.1 only. The address that it prints has a key: other users of this
machine cannot open the pages without it.

With --stack, the page Health shows the stack's alarms with what to do first, what its
functions counted in the last 24 hours, and what its table consumed and costs, so far and by
the end of the month. It needs cloudwatch:DescribeAlarms and cloudwatch:GetMetricData, and
reads them every five minutes while the page is open.

Exit status: 0 stopped by Ctrl-C; 2 wrong usage; 3 failed.

Examples:
  tidemark ui
  tidemark ui --stack tidemark-prod
  tidemark ui --url https://abc.execute-api.eu-west-1.amazonaws.com`

func uiCommand(to *connection) *cobra.Command {
	var name, port string
	cmd := &cobra.Command{
		Use:  "ui",
		Long: uiHelp,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := to.UseStack(cmd.Context(), name); err != nil {
				return err
			}
			return serveUI(cmd, to, name, port)
		},
	}
	cmd.Flags().StringVar(&name, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.Flags().StringVar(&port, "port", "0", "`port` of the pages; 0 is any free port")
	return cmd
}

func serveUI(cmd *cobra.Command, to *connection, name, port string) error {
	ctx := cmd.Context()
	if err := to.NeedURL(); err != nil {
		return err
	}
	client, err := to.HTTPClient(ctx)
	if err != nil {
		return err
	}
	health, err := stackHealth(ctx, to, name)
	if err != nil {
		return err
	}
	pages, err := webui.ReadOnly(to.URL, client.Transport, health)
	if err != nil {
		return usagef("--url: %w", err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return fmt.Errorf("listen on port %s of this machine: %w", port, err)
	}
	opened, key := ownmachine.OnceOpened(webui.Path, pages) // the pages read with this user's credentials
	server := ownmachine.Server(opened)
	defer context.AfterFunc(ctx, func() { server.Close() })()
	fmt.Fprintf(cmd.OutOrStdout(), "Pages of %s, read-only. Ctrl-C ends them.\n\n  http://%s%s?key=%s\n",
		to.URL, listener.Addr(), webui.Path, key)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// stackHealth returns what reads the health of a stack in AWS; nil without its name.
func stackHealth(ctx context.Context, to *connection,
	name string) (func(context.Context) (any, error), error) {
	if name == "" {
		return nil, nil
	}
	cfg, err := to.Cloud(ctx)
	if err != nil {
		return nil, err
	}
	watch := cloudwatch.NewFromConfig(cfg)
	return func(ctx context.Context) (any, error) {
		return deployment.ReadHealth(ctx, watch, name, to.Stack, time.Now())
	}, nil
}
