package tidemarkcdk

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// addSecrets creates the secrets that functions sign with. They are generated in the account,
// and a function reads its secret at cold start and every few minutes.
func (s *Tidemark) addSecrets() {
	// Deleted with the stack, since a cursor is only used while a caller reads pages.
	s.cursorSecret = s.secret("CursorSecret", "Signs the cursors of ", awscdk.RemovalPolicy_DESTROY)
	if s.signsSiteKeys() {
		// Retained in every stage: it signs the keys in web pages and shared links, and they stay
		// valid if its value is copied into the secret of a new stack.
		s.siteSecret = s.secret("SiteSecret", "Signs the site keys and shared links of ", retained)
	}
	if s.stage.Sources.Pages &&
		(s.settings.Collector.Trust != config.TrustNone || s.stage.CloudFront != (config.CloudFront{})) {
		s.originSecret = s.secret("OriginSecret", "Sent by the CloudFront distribution in front of ",
			awscdk.RemovalPolicy_DESTROY)
	}
}

// signsSiteKeys reports whether the stage has the secret of site keys.
func (s *Tidemark) signsSiteKeys() bool { return s.stage.Sources.Pages || s.stage.UI }

func (s *Tidemark) secret(id, purpose string, removal awscdk.RemovalPolicy) awssecretsmanager.Secret {
	return withLogicalID(s, awssecretsmanager.NewSecret(s.Construct, &id, &awssecretsmanager.SecretProps{
		Description: new(purpose + s.prefix),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength:     new(64.0),
			ExcludePunctuation: new(true),
		},
		EncryptionKey: s.key,
		RemovalPolicy: removal,
	}), id)
}
