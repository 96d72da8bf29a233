package config

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// bound is a setting with a minimum and a maximum, and the reason for them.
type bound struct {
	path  string
	inner bool   // the value is within the bounds, and whole seconds if it is a duration
	want  string // the bounds as text
	got   string
	why   string
}

func (b bound) mistake() Mistakes {
	if b.inner {
		return nil
	}
	return Mistakes{{Path: b.path,
		Message: fmt.Sprintf("%s is out of bounds: want %s, because %s", b.got, b.want, b.why)}}
}

func number(path string, got, least, most int, why string) bound {
	return bound{
		path: path, inner: least <= got && got <= most,
		want: strconv.Itoa(least) + " to " + strconv.Itoa(most), got: strconv.Itoa(got), why: why,
	}
}

func sized(path string, got, least, most int, why string) bound {
	return bound{
		path: path, inner: least <= got && got <= most, want: SizeText(least) + " to " + SizeText(most),
		got: SizeText(got), why: why,
	}
}

func lasting(path string, got, least, most time.Duration, why string) bound {
	inner := least <= got && got <= most && got%time.Second == 0
	return bound{
		path: path, inner: inner, want: SpanText(least) + " to " + SpanText(most) + " in whole seconds",
		got: SpanText(got), why: why,
	}
}

// bounds returns all settings with a minimum and a maximum, in the order of the file.
func (c *Config) bounds() []bound {
	l := c.Limits
	m := c.Mapping
	f := c.Functions
	const (
		partOfKey   = "it is part of the keys of items, and DynamoDB limits the length of keys"
		memory      = "Lambda supports these sizes, in MB"
		httpTimeout = "the HTTP API ends a request after 30 seconds"
	)
	return []bound{
		sized("limits.body", l.Body, 1*kib, 4*mib,
			"Lambda accepts at most 6 MB an invocation, and base64 adds a third to a body"),
		sized("limits.decompressed", l.Decompressed, 1*kib, 64*mib,
			"the function keeps the decompressed body in memory"),
		number("limits.observations", l.Observations, 1, 10000,
			"all of them must be appended within the function's timeout"),
		number("limits.fields", l.Fields, 1, 350,
			"an append writes all of them to the latest item by one expression, and DynamoDB limits an "+
				"expression to 4 KB"),
		number("limits.measures", l.Measures, 1, catalog.MaxMeasures,
			"each of them has a summary in the rollups of all tiers"),
		sized("limits.name", l.Name, 1, catalog.MaxName, "names are stored in every event and every rollup"),
		sized("limits.text", l.Text, 1, 64*kib, "an event is one item of at most 400 KB"),
		sized("limits.id", l.ID, 1, 256, partOfKey),
		sized("limits.stream", l.Stream, 1, 512, partOfKey),
		sized("limits.subject", l.Subject, 1, 512, partOfKey),
		lasting("limits.maxAhead", l.MaxAhead, 0, 24*time.Hour,
			"an event ahead of time makes all events before that time late"),
		lasting("limits.unsetClock", l.UnsetClock, 0, 20*365*day, "later events are history that can be meant"),

		number("queue.shards", c.Queue.Shards, 1, MaxQueueShards, "each is read and written every minute"),

		number("mapping.batchSize", m.BatchSize, 1, 10000, "Lambda supports these values for a table stream"),
		lasting("mapping.window", m.Window, 0, 5*time.Minute, "Lambda supports these values for a table stream"),
		number("mapping.parallelization", m.Parallelization, 1, 10,
			"Lambda supports these values for a table stream"),
		number("mapping.maxRetries", m.MaxRetries, 0, 10000,
			"with unlimited retries, one failing batch could block its stream shard for a day"),
		lasting("mapping.maxAge", m.MaxAge, time.Minute, 12*time.Hour,
			"the table stream keeps a change for 24 hours: a failed batch is read from it again, "+
				"and a longer pause is recorded as a gap"),
		lasting("mapping.failureRetention", m.FailureRetention, day, 14*day,
			"SQS keeps a message for at most 14 days, and you need time to process a failed batch"),

		number("functions.ingest.memory", f.Ingest.Memory, 128, 10240, memory),
		lasting("functions.ingest.timeout", f.Ingest.Timeout, time.Second, 29*time.Second, httpTimeout),
		number("functions.aggregate.memory", f.Aggregate.Memory, 128, 10240, memory),
		lasting("functions.aggregate.timeout", f.Aggregate.Timeout, 10*time.Second, 15*time.Minute,
			"a batch needs time for retries, and Lambda ends an invocation after 15 minutes"),
		number("functions.query.memory", f.Query.Memory, 128, 10240, memory),
		lasting("functions.query.timeout", f.Query.Timeout, time.Second, 29*time.Second, httpTimeout),
		number("functions.purge.memory", f.Purge.Memory, 128, 10240, memory),
		lasting("functions.purge.timeout", f.Purge.Timeout, 30*time.Second, 15*time.Minute,
			"one page of items is erased in an invocation, and Lambda ends an invocation after 15 minutes"),

		lasting("quarantine.retention", c.Quarantine.Retention, day, 3650*day,
			"you need time to process the entries, and they must expire at some time"),
	}
}
