package config

import (
	"reflect"
	"sync"
)

// members returns the sections of the file.
func (c *Config) members() members {
	return members{
		{"kinds", c.readKinds},
		{"subjects", named(&c.Subjects, readSubject)},
		{"tiers", retentionPolicy(&c.Retention)},
		{"limits", section(c.Limits.members)},
		{"mapping", section(c.Mapping.members)},
		{"functions", section(c.Functions.members)},
		{"quarantine", section(c.Quarantine.members)},
		{"collector", section(c.Collector.members)},
		{"sources", c.readSources},
		{"prometheus", boolean(func(b bool) { c.Prometheus = b })},
		{"stages", c.readStages},
	}
}

func section(known func() members) func(*reader, value) {
	return func(r *reader, v value) { r.object(v, known()) }
}

func (l *Limits) members() members {
	return members{
		{"body", size(&l.Body)},
		{"decompressed", size(&l.Decompressed)},
		{"observations", integer(&l.Observations)},
		{"fields", integer(&l.Fields)},
		{"measures", integer(&l.Measures)},
		{"name", size(&l.Name)},
		{"text", size(&l.Text)},
		{"id", size(&l.ID)},
		{"stream", size(&l.Stream)},
		{"subject", size(&l.Subject)},
		{"maxAhead", span(&l.MaxAhead)},
	}
}

func (m *Mapping) members() members {
	return members{
		{"batchSize", integer(&m.BatchSize)},
		{"window", span(&m.Window)},
		{"parallelization", integer(&m.Parallelization)},
		{"maxRetries", integer(&m.MaxRetries)},
		{"maxAge", span(&m.MaxAge)},
		{"bisect", boolean(func(b bool) { m.Bisect = b })},
		{"failureRetention", span(&m.FailureRetention)},
	}
}

func (f *Functions) members() members {
	return members{
		{"ingest", section(f.Ingest.members)},
		{"aggregate", section(f.Aggregate.members)},
		{"query", section(f.Query.members)},
		{"purge", section(f.Purge.members)},
	}
}

func (f *Function) members() members {
	return members{
		{"memory", integer(&f.Memory)},
		{"timeout", span(&f.Timeout)},
	}
}

func (q *Quarantine) members() members {
	return members{{"retention", span(&q.Retention)}}
}

func (c *Collector) members() members {
	return members{
		{"honourOptOut", boolean(func(b bool) { c.HonourOptOut = b })},
		{"trust", text(&c.Trust)},
		{"domains", list(&c.Domains)},
	}
}

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
