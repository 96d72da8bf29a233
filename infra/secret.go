package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
)

// addSecrets makes the texts that functions sign with. Nobody needs to see them: they
// are generated in the account, and read at cold start by the functions that use them.
func (s *stack) addSecrets() {
	// It goes with the stack, since a cursor lives no longer than a caller's loop over
	// pages.
	s.cursorSecret = s.secret("CursorSecret", "Signs the cursors of ", awscdk.RemovalPolicy_DESTROY)
	// It stays, in every stage: the keys that stand in pages are signed by it, and open
	// again for a new stack whose own secret is given its text.
	s.siteSecret = s.secret("SiteSecret", "Signs the site keys of ", awscdk.RemovalPolicy_RETAIN)
}

func (s *stack) secret(id, purpose string, removal awscdk.RemovalPolicy) awssecretsmanager.Secret {
	return called(awssecretsmanager.NewSecret(s.Stack, &id, &awssecretsmanager.SecretProps{
		Description: new(purpose + *s.StackName()),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength:     new(64.0),
			ExcludePunctuation: new(true),
		},
		EncryptionKey: s.key,
		RemovalPolicy: removal,
	}), id)
}
