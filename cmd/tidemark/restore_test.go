package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// startMock starts a mock of AWS and returns its address.
func startMock(t *testing.T) string {
	t.Helper()
	server := filepath.Join("..", "..", "build", "venv", "bin", "moto_server")
	if _, err := os.Stat(filepath.Join("..", "..", "build", "venv", "installed")); err != nil {
		testenv.Missing(t, "python",
			"the mock of AWS is not installed: scripts/venv.sh installs it if it can reach PyPI")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	mock := exec.CommandContext(t.Context(), server, "-H", host, "-p", port)
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mock.Wait() })
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		conn, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if err == nil {
			conn.Close()
			return "http://" + net.JoinHostPort(host, port)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// The restore of the runbook in docs/run/ALARMS.md, on a mock of AWS: it restores to a point in time, and a
// copy has none of the settings that a stack gives its table.
func TestRestore_TheRunbookPutsACopyBehindAStage(t *testing.T) {
	mock := startMock(t)
	b := benchAt(t, mock, func(table *dynamo.Table) error { return table.Create(t.Context()) })
	b.process(b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-02T11:00:00Z 4"))
	b.append("a", "2026-11-02T10:30:00Z 2") // not processed at the time of the backup
	client, err := dynamo.NewClient(t.Context(), "", mock)
	if err != nil {
		t.Fatal(err)
	}
	source, copied := b.table.Name(), b.table.Name()+"-copy"
	if _, err := client.UpdateContinuousBackups(t.Context(),
		&dynamodb.UpdateContinuousBackupsInput{TableName: &source,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.RestoreTableToPointInTime(t.Context(), &dynamodb.RestoreTableToPointInTimeInput{
		SourceTableName: &source, TargetTableName: &copied, UseLatestRestorableTime: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	b.table = dynamo.New(client, copied)
	b.expect(1, words("verify"), "differs")
	b.expect(0, words("restore --restored --stage prod"), equalText, "  prod:\n    table: arn:",
		"/"+copied+"/stream/", "took ")

	table, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &copied})
	if err != nil {
		t.Fatal(err)
	}
	if !aws.ToBool(table.Table.DeletionProtectionEnabled) || table.Table.StreamSpecification == nil {
		t.Errorf("protected %v, stream %+v", table.Table.DeletionProtectionEnabled, table.Table.StreamSpecification)
	}
	recovery, err := client.DescribeContinuousBackups(t.Context(),
		&dynamodb.DescribeContinuousBackupsInput{TableName: &copied})
	if err != nil || recovery.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		t.Errorf("point-in-time recovery %+v, %v", recovery, err)
	}
	tags, err := client.ListTagsOfResource(t.Context(),
		&dynamodb.ListTagsOfResourceInput{ResourceArn: table.Table.TableArn})
	if err != nil || len(tags.Tags) != 2 ||
		strings.Join([]string{*tags.Tags[0].Value, *tags.Tags[1].Value}, " ") != "tidemark prod" {
		t.Errorf("tags %+v, %v", tags, err)
	}
}

// createRestored creates a table as a restore does: without stream and TTL.
func createRestored(t *testing.T) func(*dynamo.Table) error {
	return func(table *dynamo.Table) error {
		key := func(partition, sort string) []types.KeySchemaElement {
			return []types.KeySchemaElement{
				{AttributeName: &partition, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange},
			}
		}
		name, d := table.Name(), dynamo.Standard()
		in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest,
			KeySchema: key(d.Partition, d.Sort)}
		names := []string{d.Partition, d.Sort}
		for _, i := range d.Indexes {
			names = append(names, i.Partition, i.Sort)
			in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
				IndexName: &i.Name, KeySchema: key(i.Partition, i.Sort), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			})
		}
		for _, n := range names {
			in.AttributeDefinitions = append(in.AttributeDefinitions,
				types.AttributeDefinition{AttributeName: &n, AttributeType: types.ScalarAttributeTypeS})
		}
		_, err := newClient(t).CreateTable(t.Context(), in)
		return err
	}
}

// Some changes had not reached the rollups when the backup was made.
func TestRestore_RepairsRollupsAndEnablesStreamAndTTL(t *testing.T) {
	b := benchOn(t, createRestored(t))
	b.process(b.append("a", "2026-11-02T10:00:00Z 1"))
	b.append("a", "2026-11-02T10:30:00Z 2")
	b.expect(2, words("restore"), "--restored")
	b.expect(1, words("verify"), "differs")
	for range 2 {
		b.expect(0, words("restore --restored"), "table "+b.table.Name()+" has its stream and TTL", equalText,
			"took ", "  STAGE:\n    table: arn:")
	}
	if err := b.table.Create(t.Context()); err != nil {
		t.Errorf("the restored table does not match the definition: %v", err)
	}
	arn, err := b.table.StreamARN(t.Context())
	if err != nil || arn == "" {
		t.Errorf("stream %q, %v", arn, err)
	}
	b.expect(0, words("restore --restored --no-verify"), "    table: "+arn+"\n")
	b.expect(2, words("restore --restored --stage nowhere"), "no such stage")
}

func TestRestore_RejectsATableThatIsNotTidemarks(t *testing.T) {
	b := newBench(t)
	b.table = dynamo.New(newClient(t), "bench-absent")
	b.expect(3, words("restore --restored"), "the table's configuration")
}
