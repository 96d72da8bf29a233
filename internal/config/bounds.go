package config

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// bound is a setting that must lie between two others, and why.
type bound struct {
	path  string
	inner bool   // least <= got <= most, and whole where it must be
	want  string // least to most
	got   string
	why   string
}

func (b bound) mistake() Mistakes {
	if b.inner {
		return nil
	}
	return Mistakes{{Path: b.path, Message: fmt.Sprintf("%s is out of bounds: want %s, because %s", b.got, b.want, b.why)}}
}

func number(path string, got, least, most int, why string) bound {
	return bound{path, least <= got && got <= most, strconv.Itoa(least) + " to " + strconv.Itoa(most), strconv.Itoa(got), why}
}

func sized(path string, got, least, most int, why string) bound {
	return bound{path, least <= got && got <= most, bytesText(least) + " to " + bytesText(most), bytesText(got), why}
}

func lasting(path string, got, least, most time.Duration, why string) bound {
	inner := least <= got && got <= most && got%time.Second == 0
	return bound{path, inner, spanText(least) + " to " + spanText(most) + " in whole seconds", spanText(got), why}
}

// bounds are all settings with a least and a most, in the order of the file.
func (c *Config) bounds() []bound {
	l, m, f := c.Limits, c.Mapping, c.Functions
	const (
		partOfKey  = "it is part of every key of its series, and a key of the table holds no more"
		memory     = "that is what Lambda offers, in MB"
		httpAnswer = "the HTTP API gives up an answer after 30 seconds"
	)
	return []bound{
		sized("limits.body", l.Body, 1*kib, 4*mib, "Lambda takes at most 6 MB an invocation, of which base64 takes a third"),
		sized("limits.decompressed", l.Decompressed, 1*kib, 64*mib, "it is held in the function's memory"),
		number("limits.observations", l.Observations, 1, 10000, "a request is answered within the function's timeout"),
		number("limits.fields", l.Fields, 1, 350, "an append sets all of them on current by one expression, and DynamoDB takes one of 4 KB"),
		number("limits.measures", l.Measures, 1, catalog.MaxMeasures, "each is summarised in every row of its bucket"),
		sized("limits.name", l.Name, 1, catalog.MaxName, "names are stored in every event and every row"),
		sized("limits.text", l.Text, 1, 64*kib, "an event is one item of at most 400 KB"),
		sized("limits.id", l.ID, 1, 256, partOfKey),
		sized("limits.stream", l.Stream, 1, 128, partOfKey),
		sized("limits.subject", l.Subject, 1, 512, partOfKey),
		lasting("limits.maxAhead", l.MaxAhead, 0, 24*time.Hour, "a clock that far ahead would hold current back for as long"),

		number("mapping.batchSize", m.BatchSize, 1, 10000, "that is what a mapping of a table stream offers"),
		lasting("mapping.window", m.Window, 0, 5*time.Minute, "that is what a mapping of a table stream offers"),
		number("mapping.parallelization", m.Parallelization, 1, 10, "that is what a mapping of a table stream offers"),
		number("mapping.maxRetries", m.MaxRetries, 0, 10000, "unbounded retries would let one batch block its stream shard for a day"),
		lasting("mapping.maxAge", m.MaxAge, time.Minute, 23*time.Hour, "the table stream forgets after 24 hours, and a given-up batch must still be read again from it"),
		lasting("mapping.failureRetention", m.FailureRetention, day, 14*day, "that is what the queue offers, and a given-up batch must not be forgotten overnight"),

		number("functions.ingest.memory", f.Ingest.Memory, 128, 10240, memory),
		lasting("functions.ingest.timeout", f.Ingest.Timeout, time.Second, 29*time.Second, httpAnswer),
		number("functions.aggregate.memory", f.Aggregate.Memory, 128, 10240, memory),
		lasting("functions.aggregate.timeout", f.Aggregate.Timeout, 10*time.Second, 15*time.Minute, "a batch needs time to be retried, and Lambda ends an invocation after 15 minutes"),
		number("functions.query.memory", f.Query.Memory, 128, 10240, memory),
		lasting("functions.query.timeout", f.Query.Timeout, time.Second, 29*time.Second, httpAnswer),
		number("functions.purge.memory", f.Purge.Memory, 128, 10240, memory),
		lasting("functions.purge.timeout", f.Purge.Timeout, 30*time.Second, 15*time.Minute, "a page must be erased within one invocation, and Lambda ends an invocation after 15 minutes"),

		lasting("quarantine.retention", c.Quarantine.Retention, day, 3650*day, "somebody must have time to read it, and it must not be kept for ever"),
	}
}
