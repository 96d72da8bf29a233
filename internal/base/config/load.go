package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// How a configuration is found.
const (
	EnvFile  = "TIDEMARK_CONFIG" // environment variable with the path of the file
	FileName = "tidemark.yaml"   // name of the file in the directory of the executable
)

// Load reads the file at path. domains are the kinds that the file may override. The error is
// Mistakes if the content is not valid.
func Load(path string, domains ...catalog.Kind) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf(
			"read configuration: %w; set %s to the path of a readable file, or unset it for the defaults", err,
			EnvFile)
	}
	return Parse(path, data, domains...)
}

// Parse reads a configuration. name is the file name in error messages. Settings that data does not
// have are taken from Default(domains...). The error is Mistakes, with all mistakes of the data.
func Parse(name string, data []byte, domains ...catalog.Kind) (*Config, error) {
	c := Default(domains...)
	r := &reader{file: name, at: map[string]position{}}
	if root, ok := r.document(data); ok {
		r.object(root, c.members())
	}
	for _, m := range c.mistakes() {
		r.place(m)
	}
	if err := r.mistakes.sorted(); err != nil {
		return nil, err
	}
	return c, nil
}

// FromEnv returns the configuration of a process: the file that EnvFile names, else FileName
// in the directory of the executable, else Default. getenv is os.Getenv outside tests.
func FromEnv(getenv func(string) string, domains ...catalog.Kind) (*Config, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the directory of the executable, which may contain %s: %w", FileName, err)
	}
	return find(getenv(EnvFile), filepath.Dir(executable), domains)
}

func find(named, dir string, domains []catalog.Kind) (*Config, error) {
	if named != "" {
		return Load(named, domains...)
	}
	adjacent := filepath.Join(dir, FileName)
	if _, err := os.Stat(adjacent); errors.Is(err, fs.ErrNotExist) {
		c := Default(domains...)
		if err := c.Validate(); err != nil {
			return nil, err
		}
		return c, nil
	}
	return Load(adjacent, domains...)
}

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
