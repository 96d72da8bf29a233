package status

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/ops/deployment"
)

// Stack is a stack in AWS, and the clients for what the table does not tell.
type Stack struct {
	deployment.Stack
	Name       string
	CloudWatch deployment.CloudWatch
	SQS        SQS
	Backups    Backups

	read    *deployment.Health // once it was read
	failure error
}

// SQS is the part of the SDK's client that a Reader calls.
type SQS interface {
	GetQueueAttributes(
		ctx context.Context, in *sqs.GetQueueAttributesInput, options ...func(*sqs.Options),
	) (*sqs.GetQueueAttributesOutput, error)
}

// Backups is the part of the SDK's client for DynamoDB that a Reader calls.
type Backups interface {
	DescribeContinuousBackups(
		ctx context.Context, in *dynamodb.DescribeContinuousBackupsInput, options ...func(*dynamodb.Options),
	) (*dynamodb.DescribeContinuousBackupsOutput, error)
}

var (
	_ SQS     = (*sqs.Client)(nil)
	_ Backups = (*dynamodb.Client)(nil)
)

// health reads the health of the stack once.
func (s *Stack) health(ctx context.Context, now time.Time) (*deployment.Health, error) {
	if s.read == nil {
		found, err := deployment.ReadHealth(ctx, s.CloudWatch, s.Name, s.Stack, now)
		s.read, s.failure = &found, err
	}
	return s.read, s.failure
}

// alarms lists the alarms that are on.
func (r *Reader) alarms(ctx context.Context) ([]Line, error) {
	health, err := r.health(ctx)
	switch {
	case err != nil:
		return nil, err
	case health == nil && r.Local != nil:
		return only(NotKnown, "", "a dev has no alarms"), nil
	case health == nil:
		return only(NotKnown, "", noStack), nil
	case len(health.Alarms) == 0:
		return only(NotKnown, "", "the stack has no alarms"), nil
	}
	var all []Line
	without := 0
	for _, a := range health.Alarms {
		switch types.StateValue(a.State) {
		case types.StateValueAlarm:
			since := a.Since.UTC().Format(time.RFC3339)
			all = append(all, only(Act, "", "%s since %s: %s", a.Name, since, a.Meaning)...)
		case types.StateValueInsufficientData:
			without++
		}
	}
	if len(all) == 0 {
		all = only(Well, "", "none of %d is on", len(health.Alarms))
	}
	if without > 0 {
		all = append(all, only(NotKnown, "", "%d of %d have no data", without, len(health.Alarms))...)
	}
	return all, nil
}

// restore says to which time the table can be restored. Drills are not recorded.
func (r *Reader) restore(ctx context.Context) ([]Line, error) {
	const drill = "when a restore was last drilled is not recorded (docs/run/ALARMS.md has the drill)"
	if r.Stack == nil {
		return only(NotKnown, "", "%s", drill), nil
	}
	out, err := r.Stack.Backups.DescribeContinuousBackups(ctx,
		&dynamodb.DescribeContinuousBackupsInput{TableName: &r.Stack.Table})
	if err != nil {
		return only(NotKnown, "", "%s", drill), err
	}
	text := "point-in-time recovery is off: the table cannot be restored"
	if d := out.ContinuousBackupsDescription; d != nil && d.PointInTimeRecoveryDescription != nil {
		if latest := d.PointInTimeRecoveryDescription.LatestRestorableDateTime; latest != nil {
			text = "the table can be restored to any time until " + latest.UTC().Format(time.RFC3339)
		}
	}
	return only(NotKnown, "", "%s; %s", text, drill), nil
}

// cost says what the table's units of this month cost on demand.
func (r *Reader) cost(ctx context.Context) ([]Line, error) {
	health, err := r.health(ctx)
	switch {
	case err != nil:
		return nil, err
	case health == nil && r.Local != nil:
		return nil, nil
	case health == nil:
		return only(NotKnown, "", noStack), nil
	}
	m := health.Month
	return only(Well, "", "$%.2f this month for the table's units, on demand in us-east-1; the rest of the "+
		"bill is not known here (tidemark cost)", cost.Units{Read: m.Reads, Write: m.Writes}.Dollars(1)), nil
}
