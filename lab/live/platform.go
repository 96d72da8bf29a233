package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// platformProbes are about CloudFormation, CloudWatch and X-Ray.
var platformProbes = []probe{
	{
		name:    "index-throttles",
		assumes: "metrics under the table's name alone leave out the throttles of its indexes",
		page:    "run/ALARMS.md",
		how: "an index of 1 write unit, 800 items of 1 KiB: " +
			"its throttles are counted under its own name only",
		suites: onResponses, run: indexThrottles,
	},
	{
		name:    "retain-except-on-create",
		assumes: "RetainExceptOnCreate deletes a table of a stack whose creation fails",
		page:    "run/DEPLOYING.md",
		how:     "a stack of such a table and a bucket with a name that is not allowed", suites: onResponses,
		run: retainExceptOnCreate,
	},
}

// throttled is the name of the table with a narrow index; failing is the name of the stack that fails.
func (a *account) throttled() string { return a.stack + "-narrow" }
func (a *account) failing() string   { return a.stack + "-fails" }

func endPlatform(ctx context.Context, a *account) error {
	_, err := a.aws(ctx, "dynamodb", "delete-table", "--table-name", a.throttled())
	if err != nil && strings.Contains(err.Error(), "ResourceNotFound") {
		err = nil
	}
	// no error if there is none
	_, err2 := a.aws(ctx, "cloudformation", "delete-stack", "--stack-name", a.failing())
	return errors.Join(err, err2)
}

func indexThrottles(ctx context.Context, a *account) (string, error) {
	began, name := a.now().Add(-time.Minute), a.throttled()
	capacity := "ReadCapacityUnits=1,WriteCapacityUnits="
	_, err := a.aws(ctx, "dynamodb", "create-table", "--table-name", name, "--provisioned-throughput",
		capacity+"200", "--attribute-definitions", "AttributeName=k,AttributeType=S",
		"AttributeName=i,AttributeType=S", "--key-schema", "AttributeName=k,KeyType=HASH",
		"--global-secondary-indexes",
		`[{"IndexName":"narrow","KeySchema":[{"AttributeName":"i","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}]`)
	if err != nil && !strings.Contains(err.Error(), "ResourceInUse") {
		return "", err
	}
	if _, err := a.aws(ctx, "dynamodb", "wait", "table-exists", "--table-name", name); err != nil {
		return "", err
	}
	for i := range 32 {
		// What an index throttles comes back as unprocessed, or as an error after the retries.
		_, err := a.aws(ctx, "dynamodb", "batch-write-item", "--request-items", narrowItems(name, i))
		if err != nil && !strings.Contains(err.Error(), "Throughput") {
			return "", err
		}
	}
	ofIndex, ofTable := 0.0, 0.0
	err = a.until(ctx, 6*time.Minute, func() (_ bool, err error) {
		if ofIndex, err = a.sum(ctx, "AWS/DynamoDB", "WriteThrottleEvents", began, "Name=TableName,Value="+name,
			"Name=GlobalSecondaryIndexName,Value=narrow"); err != nil {
			return false, err
		}
		ofTable, err = a.sum(ctx, "AWS/DynamoDB", "WriteThrottleEvents", began, "Name=TableName,Value="+name)
		return ofIndex > 0, err
	})
	if err == nil && ofTable >= ofIndex {
		err = fmt.Errorf("%.0f throttles of the index, and %.0f under the table's name alone", ofIndex, ofTable)
	}
	return fmt.Sprintf("%.0f under the index, %.0f under the table alone", ofIndex, ofTable), err
}

// narrowItems is a request of 25 items of one partition of the index.
func narrowItems(table string, n int) string {
	items := make([]string, 25)
	for i := range items {
		items[i] = fmt.Sprintf(`{"PutRequest":{"Item":{"k":{"S":"%d-%d"},"i":{"S":"one"},"v":{"S":%q}}}}`, n, i,
			strings.Repeat("x", 900))
	}
	return fmt.Sprintf(`{%q:[%s]}`, table, strings.Join(items, ","))
}

// failingTemplate has a retained table, and then a bucket whose name S3 refuses.
const failingTemplate = `{"Resources":{
  "Table":{"Type":"AWS::DynamoDB::Table","DeletionPolicy":"RetainExceptOnCreate","Properties":{"BillingMode":"PAY_PER_REQUEST",
    "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]}},
  "Bucket":{"Type":"AWS::S3::Bucket","DependsOn":"Table","Properties":{"BucketName":"Not_Allowed"}}}}`

func retainExceptOnCreate(ctx context.Context, a *account) (string, error) {
	_, err := a.aws(ctx, "cloudformation", "create-stack", "--stack-name", a.failing(), "--on-failure",
		"ROLLBACK", "--template-body", failingTemplate,
		"--tags", "Key=application,Value=tidemark", "Key=stage,Value="+a.stage)
	if err != nil && !strings.Contains(err.Error(), "AlreadyExists") {
		return "", err
	}
	status := ""
	err = a.until(ctx, 5*time.Minute, func() (_ bool, err error) {
		status, err = a.aws(ctx, "cloudformation", "describe-stacks", "--stack-name", a.failing(), "--query",
			"Stacks[0].StackStatus")
		return strings.HasPrefix(status, "ROLLBACK_") && !strings.HasSuffix(status, "PROGRESS"), err
	})
	if err != nil {
		return "", err
	}
	table, err := a.aws(ctx, "cloudformation", "list-stack-resources", "--stack-name", a.failing(),
		"--query", "StackResourceSummaries[?LogicalResourceId=='Table'].ResourceStatus")
	if err == nil && (status != "ROLLBACK_COMPLETE" || table != "DELETE_COMPLETE") {
		err = fmt.Errorf("the stack is %s, its table %s", status, table)
	}
	return "the stack is rolled back, its table deleted", err
}
