package stack

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// The deployed functions.
const (
	ingest     = "ingest"
	aggregate  = "aggregate"
	query      = "query"
	manage     = "manage"
	purge      = "purge"
	authorize  = "authorize"
	prometheus = "prometheus"
)

// deployedRow describes a function of the stack.
type deployedRow struct {
	name      string
	settings  func(*config.Config) config.Function
	processes func(*config.Config) int
}

// deployed has a row for each function of the stack.
var deployed = []deployedRow{
	{
		name: ingest, settings: func(c *config.Config) config.Function { return c.Functions.Ingest },
		processes: always(4),
	},
	{name: aggregate, settings: func(c *config.Config) config.Function { return c.Functions.Aggregate },
		processes: func(c *config.Config) int { return c.Mapping.Parallelization }},
	{
		name: query, settings: func(c *config.Config) config.Function { return c.Functions.Query },
		processes: always(2),
	},
	{
		name: manage, settings: func(*config.Config) config.Function { return config.Manage },
		processes: always(2),
	},
	{
		name: purge, settings: func(c *config.Config) config.Function { return c.Functions.Purge },
		processes: always(2),
	},
	{
		name: authorize, settings: func(*config.Config) config.Function { return config.Authorize },
		processes: always(1),
	},
	{
		name:      prometheus,
		settings:  func(*config.Config) config.Function { return config.PrometheusFunction },
		processes: always(2),
	},
}

func always(n int) func(*config.Config) int { return func(*config.Config) int { return n } }

// Settings returns the settings of each function that is deployed with a configuration, by name.
func Settings(c *config.Config) map[string]config.Function {
	all := make(map[string]config.Function, len(deployed))
	for _, d := range servedBy(c) {
		all[d.name] = d.settings(c)
	}
	return all
}

// servedBy returns the functions that run with a configuration.
func servedBy(c *config.Config) []deployedRow {
	return slices.DeleteFunc(slices.Clone(deployed), func(d deployedRow) bool {
		return d.name == prometheus && !c.Prometheus
	})
}

func functionNames(rows []deployedRow) []string {
	return lists.Map(rows, func(d deployedRow) string { return d.name })
}

// Environment returns the environment of the deployed functions, with local addresses.
func Environment(endpoint, table, configPath string) []string {
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

// MappingSettings returns the settings of the mapping from the table stream to aggregate, as deployed.
func MappingSettings(m config.Mapping) (eventsource.Settings, error) {
	filter, err := eventsource.ParseFilter(tablekeys.AggregateFilter)
	if err != nil {
		return eventsource.Settings{}, fmt.Errorf("parse the mapping's filter: %w", err)
	}
	return eventsource.Settings{
		BatchSize:       m.BatchSize,
		Window:          m.Window,
		MaxRetries:      m.MaxRetries,
		MaxRecordAge:    m.MaxAge,
		Bisect:          m.Bisect,
		Parallelization: m.Parallelization,
		Filter:          filter,
		ReportFailures:  true,
	}, nil
}
