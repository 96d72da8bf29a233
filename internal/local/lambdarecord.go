package local

import "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

// LambdaRecord is one record of the stream arn, in region, as it stands in the
// Records of Lambda's event.
func LambdaRecord(region, arn string, r *types.Record) []byte {
	return origin{region: region, arn: arn}.appendRecord(nil, r)
}
