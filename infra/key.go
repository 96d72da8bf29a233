package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/jsii-runtime-go"
)

// keyUses are what a principal must be allowed to do with a customer key to read and
// write what is encrypted by it, each action by its name.
var keyUses = []string{"kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo"}

// addKey makes the stage's own key. It stays with the table: without it nothing that
// was stored can be read.
func (s *stack) addKey() {
	if !s.stage.CustomerKey {
		return
	}
	key := called(awskms.NewKey(s.Stack, new("Key"), &awskms.KeyProps{
		Description:       new("Everything that Tidemark keeps in stage " + s.stage.Name),
		EnableKeyRotation: new(true),
		RemovalPolicy:     s.gone(),
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
		{eventBridge, map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.Account()}}}, // alerts, by the topic of alarms
	} {
		key.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(&service.principal, nil)},
			Actions:    jsii.Strings(keyUses...),
			Resources:  jsii.Strings("*"), // in a key's policy: this key
			Conditions: &service.condition,
		}), nil)
	}
}
