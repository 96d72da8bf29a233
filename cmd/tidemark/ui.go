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

	"github.com/tidemark-db/tidemark/internal/deployment"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/webui"
)

func uiCommand(to *connection) *cobra.Command {
	var stack, port string
	cmd := &cobra.Command{
		Use: "ui",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := to.UseStack(cmd.Context(), stack); err != nil {
				return err
			}
			return serveUI(cmd, to, stack, port)
		},
	}
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.Flags().StringVar(&port, "port", "0", "`port` of the pages; 0 is any free port")
	return cmd
}

func serveUI(cmd *cobra.Command, to *connection, stack, port string) error {
	ctx := cmd.Context()
	if to.Resolve(); to.URL == "" {
		return usagef("no HTTP API to read from: no \"tidemark dev\" runs here; start one, or pass --stack or --url")
	}
	client, err := to.HTTPClient(ctx)
	if err != nil {
		return err
	}
	health, err := stackHealth(ctx, to, stack)
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
	server := &http.Server{Handler: local.OnlyFromThisMachine(pages), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	fmt.Fprintf(cmd.OutOrStdout(), "Pages of %s, read-only. Ctrl-C ends them.\n\n  http://%s%s\n", to.URL, listener.Addr(), webui.Path)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// stackHealth returns what reads the health of a stack in AWS; nil without its name.
func stackHealth(ctx context.Context, to *connection, stack string) (func(context.Context) (any, error), error) {
	if stack == "" {
		return nil, nil
	}
	cfg, err := to.Cloud(ctx)
	if err != nil {
		return nil, err
	}
	watch := cloudwatch.NewFromConfig(cfg)
	return func(ctx context.Context) (any, error) {
		return deployment.ReadHealth(ctx, watch, stack, to.Table, time.Now())
	}, nil
}
