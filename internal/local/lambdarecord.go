package local

import "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

// LambdaRecord returns a record of a stream as in the Records of Lambda's event.
func LambdaRecord(region, arn string, r *types.Record) []byte {
	return origin{region: region, arn: arn}.appendRecord(nil, r)
}
