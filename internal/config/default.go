package config

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	day = tier.Day24
)

// Default returns the configuration of the shipped tidemark.yaml, with the given kinds. That
// file has the reasons for the numbers.
func Default(domains ...catalog.Kind) *Config {
	return &Config{
		Kinds:     domains,
		Retention: tier.Standard().Defer(),
		Limits: Limits{
			Body:         1 * mib,
			Decompressed: 10 * mib,
			Observations: 1000,
			Fields:       100,
			Measures:     50,
			Name:         64,
			Text:         4 * kib,
			ID:           256,
			Stream:       256,
			Subject:      512,
			MaxAhead:     5 * time.Minute,
		},
		Mapping: Mapping{
			BatchSize:        1000,
			Window:           5 * time.Second,
			Parallelization:  1,
			MaxRetries:       50,
			MaxAge:           12 * time.Hour,
			Bisect:           true,
			FailureRetention: 14 * day,
		},
		Functions: Functions{
			Ingest:    Function{Memory: 512, Timeout: 15 * time.Second},
			Aggregate: Function{Memory: 1024, Timeout: time.Minute},
			Query:     Function{Memory: 512, Timeout: 15 * time.Second},
			Purge:     Function{Memory: 512, Timeout: 5 * time.Minute},
		},
		Quarantine: Quarantine{Retention: 30 * day},
		Collector:  Collector{HonourOptOut: true, Trust: TrustNone},
		Sources:    shippedSources(domains),
		Stages:     []Stage{dev(), stageOf("prod")},
	}
}

// dev returns the stage for experiments: its data is deleted with the stack.
func dev() Stage {
	s := stageOf("dev")
	s.Removal, s.LogRetention = Destroy, 7*day
	s.Throttle = Throttle{Rate: 50, Burst: 100}
	return s
}
