// Package adopt has the steps that are special to a table restored from a backup: which
// range of events to check again, and the settings that a restore leaves out.
package adopt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// CheckWindow is the time before the newest arrival whose changes may not have reached
// the rollups when the backup was made: twice the retention of a table stream.
const CheckWindow = 2 * aggregate.StreamRetention

// NewestArrival scans the table and returns when its newest event arrived, by the clock of
// the ingest function; 0 if there are no events.
func NewestArrival(ctx context.Context, table tablescan.Table) (newest model.Time, err error) {
	err = tablescan.Each(ctx, table, func(it item.Item) error {
		if e, err := item.Event(it); err == nil {
			newest = max(newest, e.ArrivedAt)
		}
		return nil
	})
	return newest, err
}

// Protect gives a table what a stack gives its own: the tags of the stage, point-in-time recovery
// and, if the stage retains its table, protection from deletion. It may be called again.
func Protect(ctx context.Context, c *dynamodb.Client, table string, stage config.Stage) error {
	arn, _, _ := strings.Cut(stage.Table, "/stream/")
	_, tags := c.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: &arn, Tags: []types.Tag{
		{Key: new("application"), Value: new("tidemark")}, {Key: new("stage"), Value: &stage.Name},
	}})
	_, recovery := c.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
		TableName: &table, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: new(true)},
	})
	_, protection := c.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &table,
		DeletionProtectionEnabled: new(stage.Removal == config.Retain)})
	if err := errors.Join(tags, recovery, protection); err != nil {
		return fmt.Errorf("protect table %s as stage %s does: %w", table, stage.Name, err)
	}
	return nil
}
