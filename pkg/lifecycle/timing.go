package lifecycle

import (
	"cmp"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
)

// slack covers a request that arrives after its invocation has ended, and the difference
// between the clocks of invocations.
const slack = 30 * time.Second

// TimingOf returns the timing for the timeouts with which the functions are deployed. A
// program that appends by itself must finish each append within the timeout of the ingest
// function.
func TimingOf(c *config.Config) Timing {
	return Timing{
		Append:    c.Functions.Ingest.Timeout + slack,
		Aggregate: c.Functions.Aggregate.Timeout + slack,
	}
}

// timing returns Timing with all defaults.
func (p *Purger) timing() Timing {
	defaults := TimingOf(config.Default())
	return Timing{Append: cmp.Or(p.Timing.Append, defaults.Append), Aggregate: cmp.Or(p.Timing.Aggregate, defaults.Aggregate)}
}

// CopiesOf returns StandardCopies and the copies whose retention is configured.
func CopiesOf(c *config.Config) []Copy {
	logs := time.Duration(0)
	for _, s := range c.Stages {
		logs = max(logs, s.LogRetention)
	}
	return append(StandardCopies(),
		Copy{"queues of undelivered messages", c.Mapping.FailureRetention},
		Copy{"quarantined data whose subject could not be read", c.Quarantine.Retention},
		Copy{"logs of the functions, which name series", logs})
}
