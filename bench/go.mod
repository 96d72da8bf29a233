module github.com/tidemark-db/tidemark/bench

go 1.26.0

require (
	github.com/DataDog/sketches-go v1.4.8
	github.com/agnivade/levenshtein v1.2.1
	github.com/aws/aws-lambda-go v1.55.1
	github.com/aws/aws-sdk-go-v2 v1.47.5
	github.com/aws/aws-sdk-go-v2/config v1.33.13
	github.com/aws/aws-sdk-go-v2/credentials v1.20.13
	github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue v1.21.17
	github.com/aws/aws-sdk-go-v2/feature/ec2/imds v1.20.5
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.5.8
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.8.8
	github.com/aws/aws-sdk-go-v2/internal/v4a v1.5.8
	github.com/aws/aws-sdk-go-v2/service/dynamodb v1.72.3
	github.com/aws/aws-sdk-go-v2/service/dynamodbstreams v1.46.4
	github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding v1.13.23
	github.com/aws/aws-sdk-go-v2/service/internal/endpoint-discovery v1.13.8
	github.com/aws/aws-sdk-go-v2/service/internal/presigned-url v1.14.8
	github.com/aws/aws-sdk-go-v2/service/secretsmanager v1.44.0
	github.com/aws/aws-sdk-go-v2/service/signin v1.12.1
	github.com/aws/aws-sdk-go-v2/service/sqs v1.46.4
	github.com/aws/aws-sdk-go-v2/service/sso v1.39.1
	github.com/aws/aws-sdk-go-v2/service/ssooidc v1.44.1
	github.com/aws/aws-sdk-go-v2/service/sts v1.51.6
	github.com/aws/smithy-go v1.28.7
	github.com/axiomhq/hyperloglog v0.3.0
	github.com/cockroachdb/apd/v3 v3.2.1
	github.com/dgryski/go-metro v0.0.0-20250106013310-edb8663e5e33
	github.com/goccy/go-json v0.12.0
	github.com/google/go-cmp v0.7.0
	github.com/guptarohit/asciigraph v0.10.0
	github.com/holiman/uint256 v1.3.2
	github.com/inconshreveable/mousetrap v1.1.0
	github.com/kamstrup/intmap v0.5.2
	github.com/kr/text v0.2.0
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db
	github.com/oklog/ulid/v2 v2.1.2
	github.com/rivo/uniseg v0.4.7
	github.com/rogpeppe/go-internal v1.16.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
	github.com/schollz/progressbar/v3 v3.19.1
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	github.com/tidemark-db/tidemark v0.0.0
	go.yaml.in/yaml/v3 v3.0.4
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.46.0
	golang.org/x/term v0.44.0
	golang.org/x/text v0.22.0
	golang.org/x/tools v0.26.0
	google.golang.org/protobuf v1.36.11
	pgregory.net/rapid v1.3.0
)

replace github.com/tidemark-db/tidemark => ../
