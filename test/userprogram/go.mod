module example.com/userprogram

go 1.26.7

require (
	github.com/aws/aws-sdk-go-v2/service/dynamodb v1.72.3
	github.com/tidemark-db/tidemark v0.0.0
)

require (
	github.com/agnivade/levenshtein v1.2.1 // indirect
	github.com/aws/aws-sdk-go-v2 v1.47.5 // indirect
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.5.8 // indirect
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.8.8 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding v1.13.23 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/endpoint-discovery v1.13.8 // indirect
	github.com/aws/smithy-go v1.28.7 // indirect
	github.com/holiman/uint256 v1.3.2 // indirect
	github.com/oklog/ulid/v2 v2.1.2 // indirect
	github.com/tidwall/btree v1.8.1 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/tidemark-db/tidemark => ../..
