package local

import (
	"github.com/tidemark-db/tidemark/pkg/config"
)

// The functions that deploy.
const (
	ingest    = "ingest"
	aggregate = "aggregate"
	query     = "query"
)

// deployed has a row for each function of the stack.
var deployed = []struct {
	name      string
	settings  func(*config.Config) config.Function
	processes func(*config.Config) int
}{
	{ingest, func(c *config.Config) config.Function { return c.Functions.Ingest }, always(4)},
	{aggregate, func(c *config.Config) config.Function { return c.Functions.Aggregate },
		func(c *config.Config) int { return c.Mapping.Parallelization }},
	{query, func(c *config.Config) config.Function { return c.Functions.Query }, always(2)},
}

func always(n int) func(*config.Config) int { return func(*config.Config) int { return n } }

func functionNames() (names []string) {
	for _, d := range deployed {
		names = append(names, d.name)
	}
	return names
}

// environment is what the deployed functions are given, with the laptop's addresses.
func (s *Stack) environment() []string {
	env := []string{
		"TIDEMARK_TABLE=" + s.Table,
		"TIDEMARK_ENDPOINT=" + s.Endpoint,
		"AWS_ENDPOINT_URL_DYNAMODB=" + s.Endpoint,
		"AWS_REGION=" + Region,
		"AWS_DEFAULT_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=" + accessKey,
		"AWS_SECRET_ACCESS_KEY=" + secretKey,
	}
	if s.opts.ConfigPath != "" {
		env = append(env, "TIDEMARK_CONFIG="+s.opts.ConfigPath)
	}
	return env
}
