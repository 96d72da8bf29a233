package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/webui"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/ops/status"
)

const statusHelp = `Show on one screen what works, what needs a person, and the command for it

Run it first when an alarm wakes you. Each line is one part: ok, ACT (a person has to do something, and
the line below is the command), "not known" (nothing tells), or unread (it could not be read, and
the line says why). What is not known is never shown as 0.

  table stream       how far it is processed, its gaps, and batches that fail
  low watermark      through which time closed buckets are rows; the bucket that holds it, if it stands
  rows               how many differ from their events, by the last "tidemark verify --watch"
  … queue            what is in it, and the command that empties it
  quarantine         rejected input; of a stack, what its functions counted in the last 24 hours
  alarms             those that are on, with what to do first
  restore            to which time the table can be restored
  cost               the table's units of this month

A gap is a range of time whose changes may be lost, because the table stream keeps a change for 24 hours
and nothing was processed for nearly that long (17 hours with the shipped mapping.maxAge). "tidemark
rebuild --gap recorded" checks what is missing, repairs what is wrong and removes the gap; with --dry-run it
only checks.

--wait waits until rollups are complete through a time: every bucket that ended by then is a stored
row, and every change that was stored until then is processed. Run it before you copy rollups elsewhere.
Reads need no wait: they fold open buckets from their events.

--output json writes the same as one object, for a program that watches the table: at, table, parts (part,
state, text, command), and how many need a person (act), are unread and are notKnown.

Without --stack it reads the table alone, or the "tidemark dev" that runs here. It needs no running
function. With --stack it needs cloudformation:DescribeStacks, cloudwatch:DescribeAlarms,
cloudwatch:GetMetricData, sqs:GetQueueAttributes and dynamodb:DescribeContinuousBackups. It reads a few
units of the table and 20 to 30 metrics, which costs less than a cent.

Exit status: 0 no part needs a person, or complete; 1 one does, or could not be read; with --wait, not
complete within --timeout, or changes of a gap or of a batch that fails may be missing; 2 wrong usage;
3 failed.

Examples:
  tidemark status
  tidemark status --stack tidemark-prod
  tidemark status --output json
  tidemark status --wait 2026-11-01T14:00:00Z`

func statusCommand(to *connection) *cobra.Command {
	var stack, through, output string
	timeout := times.Span(15 * time.Minute)
	cmd := &cobra.Command{
		Use:  "status",
		Long: statusHelp,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != tableOutput && (output != "json" || through != "") {
				return usagef("--output %s: want table or json, and no --wait", output)
			}
			if err := to.UseStack(cmd.Context(), stack); err != nil {
				return err
			}
			if through != "" {
				return waitThrough(cmd, to, through, time.Duration(timeout))
			}
			return showStatus(cmd, to, stack, output)
		},
	}
	cmd.Flags().StringVar(&through, "wait", "", "only wait until rollups are complete through this `time`")
	cmd.Flags().Var(&timeout, "timeout", "with --wait, give up after this `duration`")
	cmd.Flags().StringVar(&output, "output", tableOutput, "output `format`: table or json")
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	return cmd
}

func showStatus(cmd *cobra.Command, to *connection, stackName, output string) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	table, kinds, err := to.OpenKinds(ctx)
	if err != nil {
		return err
	}
	r := &status.Reader{Table: table, Kinds: kinds, Now: wallClock}
	heading := "table " + to.Table
	if stackName != "" {
		heading = fmt.Sprintf("stack %s; for the commands: export TIDEMARK_TABLE=%s", stackName, to.Table)
		r.Stack, err = openStack(ctx, to, stackName)
	} else if to.Endpoint != "" {
		r.Local = &status.Local{Dir: localDir()}
		dev, err := control[stack.Status](cmd, to, webui.PathStatus, nil, "") // perhaps of another table
		r.Local.MappingOff = err == nil && dev.Endpoint == to.Endpoint && !dev.Mapping.Enabled
	}
	if err != nil {
		return err
	}
	at := wallClock()
	if output == tableOutput {
		fmt.Fprintf(out, "%s  %s\n", at, heading) // before the parts, which may take seconds
	}
	lines := r.Read(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	if output == tableOutput {
		printing.Status(out, lines)
	} else if err := printAs(cmd, output, status.NewReport(at, to.Table, stackName, lines)); err != nil {
		return err
	}
	if status.NeedsPerson(lines) {
		return checkFailed
	}
	return nil
}

// openStack returns the clients that read a stack.
func openStack(ctx context.Context, to *connection, name string) (*status.Stack, error) {
	cfg, err := to.Cloud(ctx)
	if err != nil {
		return nil, err
	}
	return &status.Stack{
		Stack: to.Stack, Name: name, CloudWatch: cloudwatch.NewFromConfig(cfg), SQS: sqs.NewFromConfig(cfg),
		Backups: dynamodb.NewFromConfig(cfg),
	}, nil
}
