package config

import (
	"reflect"
	"sync"
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
			UnsetClock:   365 * day,
		},
		Queue: Queue{Shards: 4},
		Mapping: Mapping{
			BatchSize:        1000,
			Window:           5 * time.Second,
			Parallelization:  1,
			MaxRetries:       50,
			MaxAge:           6 * time.Hour,
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
		Collector:  Collector{HonourOptOut: true, Trust: TrustNone, Exclude: Exclude{Spam: true}},
		Sources:    shippedSources(domains),
		Stages:     []Stage{dev(), NewStage("prod")},
	}
}

// dev returns the stage for experiments: its data is deleted with the stack.
func dev() Stage {
	s := NewStage("dev")
	s.Removal, s.LogRetention = Destroy, 7*day
	s.Monitoring, s.Throttle = LeanMonitoring, Throttle{Rate: 50, Burst: 100}
	s.PublicThrottle = Throttle{Rate: 20, Burst: 50}
	s.Ceiling = Ceiling{ReadUnits: 200, WriteUnits: 200}
	return s
}

// Environment variables of the deployed functions, in addition to EnvFile.
const (
	EnvTable    = "TIDEMARK_TABLE"    // the table's name
	EnvEndpoint = "TIDEMARK_ENDPOINT" // the URL of DynamoDB Local; empty when deployed
	// EnvCursorSecret is the ARN of the secret that signs cursors. It is read at cold start,
	// so that it is not visible in the configuration of the function.
	EnvCursorSecret = "TIDEMARK_CURSOR_SECRET"
	// EnvSiteSecret is the ARN of the secret that signs site keys. While it is rotated, it
	// contains two texts, separated by white space: the first signs, and both are accepted.
	EnvSiteSecret = "TIDEMARK_SITE_SECRET"
	// EnvTracing is not empty in functions of a traced stage that send parts of traces.
	EnvTracing = "TIDEMARK_TRACING"
	// EnvMonitoring is how much of CloudWatch the stage pays for; empty is all.
	EnvMonitoring = "TIDEMARK_MONITORING"
	// EnvOriginSecret is the ARN of the secret that a trusted CloudFront distribution sends.
	// While it is rotated, it contains two texts, as EnvSiteSecret does.
	EnvOriginSecret = "TIDEMARK_ORIGIN_SECRET"
	// EnvOwnerClaim names the claim of a token that restricts a caller to the subjects of one
	// owner; if empty, callers are not restricted.
	EnvOwnerClaim = "TIDEMARK_OWNER_CLAIM"
	// EnvSignIn is how people sign in to the pages of the stage, as the JSON of a SignIn.
	EnvSignIn = "TIDEMARK_SIGN_IN"
	// EnvSelf is the ARN by which aggregate invokes itself, with the alias of a stage with canaries; if empty,
	// sweeps hand nothing over.
	EnvSelf = "TIDEMARK_SELF"
	// EnvAlertBus is the name of the event bus for notifications of alerts. EnvAlertFile is a
	// file that replaces it in "tidemark dev".
	EnvAlertBus  = "TIDEMARK_ALERT_BUS"
	EnvAlertFile = "TIDEMARK_ALERT_FILE"
)

var defaultLimits = sync.OnceValue(func() Limits { return Default().Limits })

// Complete returns l with the default of each limit that is zero.
func (l Limits) Complete() Limits {
	given, defaults := reflect.ValueOf(&l).Elem(), reflect.ValueOf(defaultLimits())
	for i := range given.NumField() {
		if limit := given.Field(i); limit.IsZero() {
			limit.Set(defaults.Field(i))
		}
	}
	return l
}

// Negative reports whether a limit is below zero, so that nothing could meet it.
func (l Limits) Negative() bool {
	given := reflect.ValueOf(l)
	for i := range given.NumField() {
		if given.Field(i).Int() < 0 {
			return true
		}
	}
	return false
}
