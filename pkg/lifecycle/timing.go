package lifecycle

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
)

// slack is what a request of an invocation that has ended may take to land, and what
// clocks of invocations differ by.
const slack = 30 * time.Second

// TimingOf is the timing by the timeouts that functions are deployed with. Programs
// that append by themselves must be done with a request within that of ingest.
func TimingOf(c *config.Config) Timing {
	return Timing{
		Wait:   c.Functions.Ingest.Timeout + slack,
		Settle: c.Functions.Aggregate.Timeout + slack,
	}
}

// CopiesOf are the copies of StandardCopies, and those whose retention is configured.
func CopiesOf(c *config.Config) []Copy {
	logs := time.Duration(0)
	for _, s := range c.Stages {
		logs = max(logs, s.LogRetention)
	}
	return append(StandardCopies(),
		Copy{"queues of what could not be delivered", c.Mapping.FailureRetention},
		Copy{"quarantine of things whose subject could not be read", c.Quarantine.Retention},
		Copy{"logs of the functions, which name series", logs})
}
