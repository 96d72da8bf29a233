package live

import (
	"context"
	"fmt"

	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// ttlProbes are last, because TTL takes its time.
var ttlProbes = []probe{
	{
		name: "ttl-identity", assumes: "TTL removes an item as the service dynamodb.amazonaws.com",
		page:   "decisions/0013-purge.md",
		how:    "an item that has expired when it is written; AWS may take days, and then nothing is seen",
		suites: onRecords, run: ttlIdentity,
	},
}

func ttlIdentity(ctx context.Context, a *account) (string, error) {
	all, err := a.records(ctx)
	if err != nil {
		return "", err
	}
	return removedBy(all)
}

// removedBy looks for the removal of the expired item.
func removedBy(all []record) (string, error) {
	for _, r := range all {
		if r.key == "expired" && r.name == string(streamtypes.OperationTypeRemove) {
			if r.service != "Service dynamodb.amazonaws.com" {
				return "", fmt.Errorf("removed by %q", r.service)
			}
			return r.service, nil
		}
	}
	return "", fmt.Errorf("%w: the expired item is still there", errNotSeen)
}
