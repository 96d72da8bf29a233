package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/jsii-runtime-go"
)

// keyActions are the actions that a principal needs on a customer key to read and write the
// data that it encrypts.
var keyActions = []string{"kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo"}

// addKey creates the stage's customer key. It has the table's removal policy: without the key,
// the table cannot be read.
func (s *stack) addKey() {
	if !s.stage.CustomerKey {
		return
	}
	key := withLogicalID(awskms.NewKey(s.Stack, new("Key"), &awskms.KeyProps{
		Description:       new("Encrypts all data of Tidemark stage " + s.stage.Name),
		EnableKeyRotation: new(true),
		RemovalPolicy:     s.removalPolicy(),
	}), "Key")
	s.key = key
	for _, service := range []struct {
		principal string
		condition map[string]any
	}{
		{"logs." + *s.Region() + ".amazonaws.com", map[string]any{"ArnLike": map[string]any{
			"kms:EncryptionContext:aws:logs:arn": "arn:" + *s.Partition() + ":logs:" + *s.Region() + ":" + *s.Account() + ":log-group:*",
		}}},
		{"cloudwatch.amazonaws.com", map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.Account()}}},
		{eventBridge, map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.Account()}}}, // alerts, published to the alarm topic
	} {
		key.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(&service.principal, nil)},
			Actions:    jsii.Strings(keyActions...),
			Resources:  jsii.Strings("*"), // in a key policy: this key
			Conditions: &service.condition,
		}), nil)
	}
}
