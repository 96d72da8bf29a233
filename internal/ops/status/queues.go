package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
)

// The commands that list rejected input, and process what a source has.
const (
	rejectedList = "tidemark failed list --source rejected"
	retryCommand = "tidemark failed retry --source "
)

// noStack is the text of what only a stack knows.
const noStack = "the table does not tell: pass --stack"

// onFailure counts the ranges of the table stream that Lambda stopped retrying.
func (r *Reader) onFailure(ctx context.Context) ([]Line, error) {
	switch {
	case r.Stack != nil:
		return r.queue(ctx, r.Stack.OnFailureQueue, "batches")
	case r.Local == nil:
		return only(NotKnown, "", noStack), nil
	}
	n, err := onfailure.Waiting(filepath.Join(r.Local.Dir, "on-failure.ndjson"))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return only(NotKnown, "", "there is no directory %s here: run status where dev runs",
			r.Local.Dir), nil
	case err != nil || n == 0:
		return only(Well, "", "empty"), err
	}
	return only(Act, retryCommand+"batches", "ranges of the table stream: %s", terminal.Grouped(n)), nil
}

// undelivered counts what did not reach ingest.
func (r *Reader) undelivered(ctx context.Context) ([]Line, error) {
	switch {
	case r.Stack != nil:
		return r.queue(ctx, r.Stack.UndeliveredQueue, "undelivered")
	case r.Local != nil:
		return nil, nil // a dev has none
	}
	return only(NotKnown, "", noStack), nil
}

// inbox counts the messages that wait for ingest. They are no failure: InboxAge is the alarm.
func (r *Reader) inbox(ctx context.Context) ([]Line, error) {
	if r.Stack == nil || r.Stack.InboxQueue == "" {
		return nil, nil
	}
	n, err := r.depth(ctx, r.Stack.InboxQueue)
	if err != nil {
		return nil, err
	}
	return only(Well, "", "about %s messages wait for ingest; alarm InboxAge says if for too long",
		terminal.Grouped(n)), nil
}

// queue returns the line of a queue that should be empty, and the command that empties it, by the source that
// it has there.
func (r *Reader) queue(ctx context.Context, url, source string) ([]Line, error) {
	if url == "" {
		return only(NotKnown, "", "the stack has no output with its URL"), nil
	}
	switch n, err := r.depth(ctx, url); {
	case err != nil:
		return nil, err
	case n == 0:
		return only(Well, "", "empty"), nil
	default:
		command := retryCommand + source + " --stack " + r.Stack.Name
		return only(Act, command, "about %s messages", terminal.Grouped(n)), nil
	}
}

// depth returns about how many messages a queue has, hidden ones included.
func (r *Reader) depth(ctx context.Context, url string) (total int, err error) {
	counts := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages,
		types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
		types.QueueAttributeNameApproximateNumberOfMessagesDelayed,
	}
	out, err := r.Stack.SQS.GetQueueAttributes(ctx,
		&sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: counts})
	if err != nil {
		return 0, fmt.Errorf("read queue %s: %w", url, err)
	}
	for _, name := range counts {
		n, err := strconv.Atoi(out.Attributes[string(name)])
		if err != nil {
			return 0, fmt.Errorf("read queue %s: %s: %w", url, name, err)
		}
		total += n
	}
	return total, nil
}

// quarantine counts rejected input. A deployed table is not scanned for it: its functions counted the input.
func (r *Reader) quarantine(ctx context.Context) ([]Line, error) {
	if r.Local != nil {
		return r.quarantined(ctx)
	}
	health, err := r.health(ctx)
	const older = "older entries are not counted: that reads the whole table"
	switch {
	case err != nil:
		return nil, err
	case health == nil:
		return only(NotKnown, rejectedList, "counting it reads the whole table"), nil
	}
	n, counted := health.Metrics[string(telemetry.Quarantined)]
	if !counted || n == 0 {
		return only(Well, "", "nothing in the last 24 hours; %s (%s)", older, rejectedList), nil
	}
	return only(Act, rejectedList, "%s in the last 24 hours; %s",
		terminal.Grouped(int(n)), older), nil
}

func (r *Reader) quarantined(ctx context.Context) ([]Line, error) {
	switch all, err := quarantine.List(ctx, r.Table, r.Kinds, quarantine.Filter{}); {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return only(Well, "", "empty"), nil
	default:
		return only(Act, rejectedList, "%s entries", terminal.Grouped(len(all))), nil
	}
}
