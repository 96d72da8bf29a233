package local

import (
	"github.com/tidemark-db/tidemark/internal/config"
)

// The deployed functions.
const (
	ingest    = "ingest"
	aggregate = "aggregate"
	query     = "query"
	manage    = "manage"
	purge     = "purge"
	authorize = "authorize"
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
	{manage, func(*config.Config) config.Function { return config.Manage }, always(2)},
	{purge, func(c *config.Config) config.Function { return c.Functions.Purge }, always(2)},
	{authorize, func(*config.Config) config.Function { return config.Authorize }, always(1)},
}

func always(n int) func(*config.Config) int { return func(*config.Config) int { return n } }

// Settings returns the settings of each deployed function, by name.
func Settings(c *config.Config) map[string]config.Function {
	all := make(map[string]config.Function, len(deployed))
	for _, d := range deployed {
		all[d.name] = d.settings(c)
	}
	return all
}

func functionNames() (names []string) {
	for _, d := range deployed {
		names = append(names, d.name)
	}
	return names
}

// environment returns the environment of the deployed functions, with local addresses.
func environment(endpoint, table, configPath string) []string {
	env := []string{
		"TIDEMARK_TABLE=" + table,
		"TIDEMARK_ENDPOINT=" + endpoint,
		"AWS_ENDPOINT_URL_DYNAMODB=" + endpoint,
		"AWS_REGION=" + Region,
		"AWS_DEFAULT_REGION=" + Region,
		"AWS_ACCESS_KEY_ID=" + accessKey,
		"AWS_SECRET_ACCESS_KEY=" + secretKey,
	}
	if configPath != "" {
		env = append(env, "TIDEMARK_CONFIG="+configPath)
	}
	return env
}
