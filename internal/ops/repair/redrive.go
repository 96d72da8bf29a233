package repair

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/streamrange"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Messages is where on-failure messages wait. A Redriver calls it from one goroutine.
type Messages interface {
	// Receive returns messages that it has not returned before; none means no more.
	Receive(ctx context.Context) ([]onfailure.Message, error)
	// Remove removes a message permanently.
	Remove(ctx context.Context, m onfailure.Message) error
}

var (
	_ Messages = (*onfailure.File)(nil)
	_ Messages = (*onfailure.Queue)(nil)
)

// RangeReader reads a range of a table stream page by page. An error that is
// streamrange.ErrTrimmed means that the stream no longer has all of it.
type RangeReader interface {
	Read(ctx context.Context, g tablestream.FailedRange, visit func(streamrange.Page) error) error
}

var _ RangeReader = (*streamrange.Reader)(nil)

// Redriver processes the ranges of the table stream that the functions failed to process: it reads each range
// again and does what aggregate and purge do with it. A message is removed once its range is processed. A
// range that the table stream no longer has is repaired by its time of arrival.
type Redriver struct {
	Repairer  // a dry run processes and removes nothing
	Alerts    *alert.Service
	Lifecycle *lifecycle.Service
	Messages  Messages
	Stream    RangeReader

	// MaxAhead is how far an event's time may be ahead of its arrival.
	MaxAhead time.Duration
	// OnMessage is called for each message once it was processed, has failed, or was
	// found to be trimmed; nil to ignore it.
	OnMessage func(MessageResult)
}

// MessageResult is the result of one message.
type MessageResult struct {
	ID      string
	Range   tablestream.FailedRange // zero if the message could not be decoded
	Changes int                     // in the range, expired tombstones included
	Counts  aggregate.Counts
	Trimmed *Trimmed // set if the table stream no longer has the range
	Err     error    // why it was not processed; the message stays
}

// Trimmed says by when a range must be repaired that the table stream no longer has.
type Trimmed struct {
	ExpiresAt model.Time // when raw events of the range begin to expire; 0: never
	Expired   bool       // they have begun to expire
}

// RedriveReport is the result of a redrive.
type RedriveReport struct {
	Found     int // messages received
	Processed int // processed and removed; those repaired by arrival included
	Failed    []error
	Arrival   *ArrivalReport // of all trimmed ranges; nil if there were none
	Marked    []MarkedRange
}

// NotProcessedError says that some messages were not processed.
type NotProcessedError struct {
	Failed, Found int
	First         error
}

func (e *NotProcessedError) Error() string {
	return fmt.Sprintf("%d of %d messages were not processed and stay: %v", e.Failed, e.Found, e.First)
}

func (e *NotProcessedError) Unwrap() error { return e.First }

// Run processes every message. A message that fails does not stop the others: they are reported in a
// *NotProcessedError at the end. With an error it returns the report of what it did.
func (r *Redriver) Run(ctx context.Context) (*RedriveReport, error) {
	run := redriveRun{Redriver: r}
	err := run.all(ctx)
	report := &run.report
	if err == nil && len(report.Failed) > 0 {
		err = &NotProcessedError{Failed: len(report.Failed), Found: report.Found, First: report.Failed[0]}
	}
	return report, err
}

// redriveRun is one run of a Redriver.
type redriveRun struct {
	*Redriver
	report  RedriveReport
	trimmed []trimmedMessage
}

func (r *redriveRun) all(ctx context.Context) error {
	for {
		messages, err := r.Messages.Receive(ctx)
		if err != nil {
			return fmt.Errorf("receive on-failure messages: %w", err)
		}
		if len(messages) == 0 {
			return r.repairTrimmed(ctx)
		}
		for _, m := range messages {
			if err := r.one(ctx, m); err != nil {
				return err
			}
		}
	}
}

// one processes one message. The error is for what ends the run.
func (r *redriveRun) one(ctx context.Context, m onfailure.Message) error {
	r.report.Found++
	result := MessageResult{ID: m.ID}
	result.Range, result.Err = tablestream.DecodeFailedRange(m.Body)
	if result.Err == nil {
		result.Err = r.process(ctx, m, &result)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(result.Err, streamrange.ErrTrimmed):
		result.Err = nil
		result.Trimmed = r.deadline(result.Range.FirstAt)
		r.trimmed = append(r.trimmed, trimmedMessage{
			Message: m, over: result.Range, expired: result.Trimmed.Expired,
		})
	case result.Err != nil:
		r.report.Failed = append(r.report.Failed, result.Err)
	case !r.DryRun:
		r.report.Processed++
	}
	if r.OnMessage != nil {
		r.OnMessage(result)
	}
	return nil
}

// process reads the range again and processes its changes, then removes the message.
func (r *redriveRun) process(ctx context.Context, m onfailure.Message, result *MessageResult) error {
	err := r.Stream.Read(ctx, result.Range, func(page streamrange.Page) error {
		return r.page(ctx, page, result)
	})
	if err != nil || r.DryRun {
		return err
	}
	if err := r.forgetBlocked(ctx, result.Range.First); err != nil {
		return err
	}
	if err := r.Messages.Remove(ctx, m); err != nil {
		return fmt.Errorf("processed, but not removed (processing it again is harmless): %w", err)
	}
	return nil
}

// forgetBlocked removes what is recorded of a range that was repaired, by its first sequence number.
func (r *redriveRun) forgetBlocked(ctx context.Context, first string) error {
	table, ok := r.Table.(BlockedDeleter)
	if !ok {
		return nil
	}
	return forgetBlocked(ctx, table, first)
}

// page processes one page of a range as the functions do.
func (r *redriveRun) page(ctx context.Context, page streamrange.Page, result *MessageResult) error {
	ended, err := r.endGenerations(ctx, page.Expiries)
	if err != nil {
		return err
	}
	result.Changes += len(page.Changes) + ended
	if r.DryRun {
		return nil
	}
	for i := range page.Poison {
		if err := r.Aggregator.Quarantine(ctx, page.Poison[i].Quarantined()); err != nil {
			return err
		}
	}
	report := r.Aggregator.Redrive(ctx, page.Changes)
	result.Counts.Add(&report.Counts)
	if len(report.Failures) > 0 {
		return report.Failures[0].Err
	}
	return r.evaluateAlerts(ctx, page.Changes)
}

// evaluateAlerts evaluates the alert rules for what changed. Notifications are sent by
// the deployment's schedule.
func (r *redriveRun) evaluateAlerts(ctx context.Context, changes []storage.Change) error {
	report := r.Alerts.Evaluate(ctx, changes)
	if len(report.Failures) > 0 {
		return report.Failures[0].Err
	}
	return nil
}

// endGenerations removes what belonged to subjects whose tombstone TTL has deleted, and
// returns how many there were.
func (r *redriveRun) endGenerations(ctx context.Context, expiries []tablestream.Expiry) (
	ended int, err error) {
	for _, e := range expiries {
		if e.Err != nil {
			return ended, e.Err
		}
		if e.Tombstone == nil {
			continue
		}
		if ended++; r.DryRun {
			continue
		}
		if err := r.Lifecycle.CleanUpExpired(ctx, e.Tombstone); err != nil {
			return ended, err
		}
	}
	return ended, nil
}

// OpenMessages opens a queue by its URL or, without one, an on-failure file, and returns a function that
// closes it. local says that the queue is on this machine. A dry run removes nothing.
func OpenMessages(settings aws.Config, queue, file string,
	local, dryRun bool) (Messages, func() error, error) {
	if queue == "" {
		f, err := onfailure.OpenFile(file, dryRun)
		if err != nil {
			return nil, nil, err
		}
		return f, f.Close, nil
	}
	if !strings.HasPrefix(queue, "http") {
		return nil, nil, usererr.Errorf("--queue %s: want its URL, the stack's output OnFailureQueueUrl", queue)
	}
	return onfailure.OpenQueue(settings, queue, local, dryRun), func() error { return nil }, nil
}
