package repair

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tidemark-db/tidemark/internal/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/usage"
)

// OpenMessages opens a queue by its URL or, without one, an on-failure file, and returns a function that
// closes it. local says that the queue is on this machine. A dry run removes nothing.
func OpenMessages(settings aws.Config, queue, file string, local, dryRun bool) (Messages, func() error, error) {
	if queue == "" {
		f, err := onfailure.OpenFile(file, dryRun)
		if err != nil {
			return nil, nil, err
		}
		return f, f.Close, nil
	}
	if !strings.HasPrefix(queue, "http") {
		return nil, nil, usage.Errorf("--queue %s: want its URL, the stack's output OnFailureQueueUrl", queue)
	}
	return onfailure.OpenQueue(settings, queue, local, dryRun), func() error { return nil }, nil
}
