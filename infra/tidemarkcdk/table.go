package tidemarkcdk

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// addTable creates the table. It has no fixed name, so that a table that was restored, or
// retained when its stack was deleted, does not block the next stack.
func (s *Tidemark) addTable() {
	if s.stage.Table != "" { // it exists, and outlives the stack
		arn, _, _ := strings.Cut(s.stage.Table, "/stream/")
		s.Table = awsdynamodb.Table_FromTableAttributes(s.Construct, new("Table"),
			&awsdynamodb.TableAttributes{TableArn: &arn, TableStreamArn: &s.stage.Table})
		return
	}
	props := &awsdynamodb.TableProps{
		PartitionKey:        text(keys.AttrPK),
		SortKey:             text(keys.AttrSK),
		TimeToLiveAttribute: new(keys.AttrExpiresAt),
		Stream:              awsdynamodb.StreamViewType_NEW_AND_OLD_IMAGES,
		BillingMode:         awsdynamodb.BillingMode_PAY_PER_REQUEST,
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: new(true),
		},
		DeletionProtection: new(s.stage.Removal == config.Retain &&
			s.Node().TryGetContext(new(config.Unprotected)) != "true"),
		RemovalPolicy: s.removalPolicy(),
		Encryption:    awsdynamodb.TableEncryption_AWS_MANAGED,
	}
	if s.key != nil {
		props.Encryption, props.EncryptionKey = awsdynamodb.TableEncryption_CUSTOMER_MANAGED, s.key
	}
	// An index with less capacity than the table throttles the table's writes.
	read, write := positive(s.stage.Billing.ReadUnits), positive(s.stage.Billing.WriteUnits)
	if s.stage.Billing.Provisioned() {
		props.BillingMode = awsdynamodb.BillingMode_PROVISIONED
		props.ReadCapacity = read
		props.WriteCapacity = write
	}
	props.MaxReadRequestUnits, props.MaxWriteRequestUnits = positive(s.stage.Ceiling.ReadUnits),
		positive(s.stage.Ceiling.WriteUnits)
	table := withLogicalID(s, awsdynamodb.NewTable(s.Construct, new("Table"), props), "Table")
	s.Table = table
	for _, index := range []struct{ name, partition, sort string }{
		{keys.IndexGSI1, keys.AttrGSI1PK, keys.AttrGSI1SK},
		{keys.IndexGSI2, keys.AttrGSI2PK, keys.AttrGSI2SK},
	} {
		table.AddGlobalSecondaryIndex(&awsdynamodb.GlobalSecondaryIndexProps{
			IndexName:      &index.name,
			PartitionKey:   text(index.partition),
			SortKey:        text(index.sort),
			ProjectionType: awsdynamodb.ProjectionType_ALL,
			ReadCapacity:   read,
			WriteCapacity:  write,

			MaxReadRequestUnits:  props.MaxReadRequestUnits,
			MaxWriteRequestUnits: props.MaxWriteRequestUnits,
		})
	}
	s.autoscale(table)
}

// autoscale lets the units of the table and of each index follow their own use.
func (s *Tidemark) autoscale(table awsdynamodb.Table) {
	b := s.stage.Billing
	if b.Autoscale == (config.Autoscale{}) {
		return
	}
	reads := &awsdynamodb.EnableScalingProps{MinCapacity: positive(b.ReadUnits),
		MaxCapacity: positive(b.Autoscale.ReadUnits)}
	writes := &awsdynamodb.EnableScalingProps{MinCapacity: positive(b.WriteUnits),
		MaxCapacity: positive(b.Autoscale.WriteUnits)}
	for _, scaled := range []awsdynamodb.IScalableTableAttribute{
		table.AutoScaleReadCapacity(reads), table.AutoScaleWriteCapacity(writes),
		table.AutoScaleGlobalSecondaryIndexReadCapacity(new(keys.IndexGSI1), reads),
		table.AutoScaleGlobalSecondaryIndexWriteCapacity(new(keys.IndexGSI1), writes),
		table.AutoScaleGlobalSecondaryIndexReadCapacity(new(keys.IndexGSI2), reads),
		table.AutoScaleGlobalSecondaryIndexWriteCapacity(new(keys.IndexGSI2), writes),
	} {
		scaled.ScaleOnUtilization(
			&awsdynamodb.UtilizationScalingProps{TargetUtilizationPercent: positive(b.Autoscale.Utilization)})
	}
}

// positive is a number of a template; nil leaves it out.
func positive(n int) *float64 {
	if n == 0 {
		return nil
	}
	return new(float64(n))
}

func text(name string) *awsdynamodb.Attribute {
	return &awsdynamodb.Attribute{Name: &name, Type: awsdynamodb.AttributeType_STRING}
}

// keyActions are the actions that a principal needs on a customer key to read and write the
// data that it encrypts.
var keyActions = []string{"kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom",
	"kms:ReEncryptTo"}

// addKey uses the key of the app, or creates the stage's customer key, which has the table's removal policy:
// without the key, the table cannot be read.
func (s *Tidemark) addKey() {
	switch {
	case s.given.Key != nil:
		s.key = s.given.Key
	case s.stage.CustomerKey:
		s.key = s.newKey()
	default:
		return
	}
	region := *s.stack.Region()
	groups := fmt.Sprintf("arn:%s:logs:%s:%s:log-group:*", *s.stack.Partition(), region, *s.stack.Account())
	s.allowKey("logs."+region+".amazonaws.com",
		map[string]any{"ArnLike": map[string]any{"kms:EncryptionContext:aws:logs:arn": groups}})
	ours := map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.stack.Account()}}
	if s.stage.AlarmMail != "" { // alarms publish to the stage's topic
		s.allowKey(cloudWatch, ours)
	}
	if s.forwardsAlerts() { // rules publish to the topic, and send what no target accepts to a queue
		s.allowKey(eventBridge, ours)
	}
}

// newKey creates the stage's customer key. It is retained with the secret of site keys, which nothing could
// read without it.
func (s *Tidemark) newKey() awskms.IKey {
	removal := s.removalPolicy()
	if s.signsSiteKeys() {
		removal = retained
	}
	return withLogicalID(s, awskms.NewKey(s.Construct, new("Key"), &awskms.KeyProps{
		Description:       new("Encrypts all data of " + s.prefix),
		EnableKeyRotation: new(true),
		RemovalPolicy:     removal,
	}), "Key")
}

// allowKey allows an AWS service the customer key, on a condition.
func (s *Tidemark) allowKey(service string, condition map[string]any) {
	statement := awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(&service, nil)},
		Actions:    jsii.Strings(keyActions...),
		Resources:  jsii.Strings("*"), // in a key policy: this key
		Conditions: &condition,
	})
	s.allow("the key", statement, func(p awsiam.PolicyStatement) *awsiam.AddToResourcePolicyResult {
		return s.key.AddToResourcePolicy(p, nil)
	})
}
