package limits

import (
	"cmp"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// addTable adds the limits of the table's capacity.
func addTable(s *config.Stage, l Load, add adder) {
	b := s.Billing
	for _, c := range []struct {
		units                string
		perEvent             float64
		provisioned, ceiling int
	}{
		{"write", l.Write, max(b.WriteUnits, b.Autoscale.WriteUnits), s.Ceiling.WriteUnits},
		{"read", l.Read, max(b.ReadUnits, b.Autoscale.ReadUnits), s.Ceiling.ReadUnits},
	} {
		name, raise := "the quota of a table on demand", "Service Quotas: table-level throughput of DynamoDB"
		switch {
		case c.provisioned > 0:
			name, raise = "the provisioned table", fmt.Sprintf("stages.%s.billing", s.Name)
		case c.ceiling > 0:
			name, raise = "the ceiling of the stage", fmt.Sprintf("stages.%s.ceiling", s.Name)
		}
		units := cmp.Or(c.provisioned, c.ceiling, tableUnits)
		add(float64(units)/(c.perEvent*l.events()),
			fmt.Sprintf("%s: %s %s units a second", name, grouped(units), c.units), raise, askedAgain)
	}
	if !b.Provisioned() {
		add(firstUnits/(l.Write*l.events()),
			fmt.Sprintf("a new table on demand: %s write units a second", grouped(firstUnits)),
			"it grows by itself within hours; or set the table's warm throughput", askedAgain)
	}
}

// addSources adds the limits of the ways in which a series sends: each as if all series used it alone.
func addSources(s *config.Stage, l Load, add adder) {
	each, rate := l.requests(), s.Throttle.Rate
	throttle := fmt.Sprintf("stages.%s.throttle", s.Name)
	const refused = "status 429: senders repeat, or lose what they do not keep"
	add(float64(rate)/each, fmt.Sprintf("HTTP API: %s requests a second by the stage's throttle", grouped(rate)),
		throttle, refused)
	add(apiRequests/each, fmt.Sprintf("HTTP API: %s requests a second of the account", grouped(apiRequests)),
		"Service Quotas: throttle rate of API Gateway", refused)
	workers := cmp.Or(s.Reserved.Ingest, concurrency)
	add(float64(workers)/(each*ingestSeconds),
		fmt.Sprintf("Lambda: %s invocations of ingest at once", grouped(workers)),
		fmt.Sprintf("stages.%s.reserved.ingest; Service Quotas: concurrent executions", s.Name), askedAgain)
	if len(s.Sources.Things) > 0 {
		add(iotMessages/each, fmt.Sprintf("AWS IoT: %s messages a second of the account", grouped(iotMessages)),
			"Service Quotas: inbound publish requests of AWS IoT Core",
			"AWS IoT refuses messages; devices with QoS 1 repeat")
		addRules(s, each, throttle, add)
	}
	if s.Sources.Kinesis {
		add(streamRecords/each, fmt.Sprintf("a new data stream: %s records a second", grouped(streamRecords)),
			"it grows by itself to twice its peak within 15 minutes", "senders are throttled, and repeat")
	}
}

// addRules adds the limit of the way from AWS IoT to ingest.
func addRules(s *config.Stage, each float64, throttle string, add adder) {
	if s.Sources.Batched {
		add(float64(s.Throttle.Rate*messagesOfARule)/each,
			fmt.Sprintf("AWS IoT, batched: %s requests of %d messages a second by the stage's throttle",
				grouped(s.Throttle.Rate), messagesOfARule),
			throttle, "messages go to the undelivered queue: tidemark failed retry")
		return
	}
	async := asyncPerWorker * concurrency
	add(float64(async)/each, fmt.Sprintf("AWS IoT: %s asynchronous invocations a second", grouped(async)),
		fmt.Sprintf("stages.%s.sources.batched; Service Quotas: concurrent executions", s.Name),
		"messages go to the undelivered queue: tidemark failed retry")
}
