package cost

import (
	"math"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const (
	itemOverhead   = 100 // bytes of DynamoDB's own an item
	hoursOfMonth   = 730
	secondsOfMonth = hoursOfMonth * 3600
)

// use is a load of one kind, and the settings of a stage that its price depends on.
type use struct {
	Units
	batch      int     // events in a request
	perDay     float64 // events
	storedDays float64
	series     float64
	lean       bool // monitoring
	traced     bool
	fronted    bool // by CloudFront
	checked    bool // by a web ACL
}

func (u use) events() float64   { return u.perDay * hoursOfMonth / 24 } // in a month
func (u use) requests() float64 { return u.events() / float64(u.batch) }
func (u use) storedGB() float64 { return u.perDay * u.storedDays * (u.Bytes + itemOverhead) / 1e9 }

// metered returns how often requests are billed that are billed once for each part of so many bytes.
func (u use) metered(bytes float64) float64 {
	return u.requests() * math.Ceil(float64(u.batch)*u.Bytes/bytes)
}

// What an invocation writes to its log, in bytes: the lines of ingest (TestReport_LogsNoMoreThanIsPriced),
// the lines of Lambda, which a lean stage has not, and the access log of the API.
const (
	IngestLog = 760
	lambdaLog = 700
	accessLog = 350
)

// invoked returns what invocations cost with their logs.
func (u use) invoked(n, seconds, gigabytes, logged float64) float64 {
	if !u.lean {
		logged += lambdaLog
	}
	return n * (Invocation.Dollars + seconds*gigabytes*GBSecond.Dollars + logged/1e9*LogGB.Dollars)
}

// ingested returns what invocations of ingest cost: 20 ms at 512 MB.
func (u use) ingested(n float64) float64 { return u.invoked(n, .02, .5, IngestLog) }

// overHTTP returns what requests to the API and their invocations of ingest cost.
func (u use) overHTTP(requests, parts float64) float64 {
	return parts*APIRequest.Dollars + u.ingested(requests) + requests*accessLog/1e9*LogGB.Dollars
}

// metrics returns what n metrics cost that are published in each hour in which events arrive.
func (u use) metrics(n int) float64 { return float64(n) * Metric.Dollars * min(1, u.perDay/24) }

// published returns what messages to AWS IoT and its rules cost.
func (u use) published(message ListPrice) float64 {
	const part = 5 << 10
	return u.metered(part)*(message.Dollars+RuleTriggered.Dollars) +
		u.series*60*hoursOfMonth*DeviceMinute.Dollars
}

// acted returns what an action for each message costs: an invocation of ingest.
func (u use) acted() float64 { return u.metered(5<<10)*RuleAction.Dollars + u.ingested(u.requests()) }

// batched returns what a request of ten messages costs.
func (u use) batched() float64 {
	n := u.requests() / 10
	return u.metered(5<<10)/10*RuleAction.Dollars + u.overHTTP(n, n)
}

// free is a message of Basic Ingest, of which the rule alone is billed.
var free ListPrice

// group is the part of a configuration that a price is of.
type group string

// The groups of prices.
const (
	tablePart   group = "table"   // one of them
	alwaysPart  group = "always"  // in every configuration
	sourcePart  group = "source"  // one of them
	insteadPart group = "instead" // in place of Tidemark
)

// Names of choices that the program or another row refers to.
const (
	OnDemand      = "table on demand"
	Provisioned   = "table provisioned with autoscaling, 70 % used"
	HTTP          = "HTTP API"
	Collector     = "collector: HTTP API, with an authorizer that runs for each view"
	IoT           = "AWS IoT Core"
	IoTBatched    = "AWS IoT Core, batched: ten messages a request"
	Basic         = "AWS IoT Core, Basic Ingest"
	BasicBatched  = "AWS IoT Core, Basic Ingest, batched: ten messages a request"
	Queue         = "SQS, 100 messages an invocation"
	Stream        = "Kinesis on demand, 100 records an invocation"
	influx        = "rule of AWS IoT to Timestream for InfluxDB, db.influx.medium"
	timescale     = "PostgreSQL with TimescaleDB on a t4g.medium"
	clickhouse    = "ClickHouse on a t4g.large"
	usedPart      = 0.7      // of provisioned units
	emptyPolls    = 15 * 60  // an hour, of a mapping of a queue: five readers, 20 s each
	firstTraces   = 3600.    // an hour: X-Ray records one request a second, and 5 % of the others
	batchesAnHour = 3600 / 5 // of the table stream at most
)

// price is what one part of a configuration costs in a month.
type price struct {
	group   group
	name    string
	column  bool   // it is in the table of all kinds
	against string // the source that an alternative is compared with
	of      func(use) float64
}

// prices has one row for each part. Instances are single ones, without the people who operate them.
var prices = []price{
	{group: tablePart, name: OnDemand, column: true, of: func(u use) float64 {
		return u.Dollars(u.events())
	}},
	{group: tablePart, name: Provisioned, column: true, of: func(u use) float64 {
		return u.events() * (u.Write*WriteHour.Dollars + u.Read*ReadHour.Dollars) / 3600 / usedPart
	}},
	{group: alwaysPart, name: "events stored, with point-in-time recovery", column: true,
		of: func(u use) float64 {
			return u.storedGB() * (StoredMonth.Dollars + BackupMonth.Dollars)
		}},
	{group: alwaysPart, name: "table stream, read by Lambda", of: func(use) float64 { return 0 }},
	{group: alwaysPart, name: "aggregate: an invocation in 5 s, 1 ms an event at 1 GB", of: func(u use) float64 {
		batches := min(u.events(), batchesAnHour*hoursOfMonth)
		return u.invoked(batches, .02, 1, 300) + u.events()*.001*GBSecond.Dollars
	}},
	{group: alwaysPart, name: "metrics of functions in use", of: func(u use) float64 {
		if u.lean {
			return 0
		}
		return u.metrics(len(telemetry.InUse()))
	}},
	{group: alwaysPart, name: "traces: one a second, and 5 % of the others", of: func(u use) float64 {
		if !u.traced {
			return 0
		}
		n := min(u.requests(), firstTraces*hoursOfMonth)
		return (n + .05*(u.requests()-n)) * Trace.Dollars
	}},
	{group: sourcePart, name: HTTP, column: true, of: func(u use) float64 {
		return u.overHTTP(u.requests(), u.metered(512<<10))
	}},
	{group: sourcePart, name: Collector, of: func(u use) float64 {
		dollars := u.overHTTP(u.requests(), u.metered(512<<10)) + u.invoked(u.requests(), .005, .25, 0)
		if u.fronted {
			dollars += u.requests() * EdgeRequest.Dollars
		}
		if u.checked {
			dollars += u.requests() * ACLRequest.Dollars
		}
		if !u.lean {
			dollars += u.metrics(1) // HitsExcluded: spam comes in most hours
		}
		return dollars
	}},
	{group: sourcePart, name: IoT, column: true, of: func(u use) float64 {
		return u.published(MQTTMessage) + u.acted()
	}},
	{group: sourcePart, name: Basic, of: func(u use) float64 { return u.published(free) + u.acted() }},
	{group: sourcePart, name: IoTBatched, of: func(u use) float64 {
		return u.published(MQTTMessage) + u.batched()
	}},
	{group: sourcePart, name: BasicBatched, of: func(u use) float64 { return u.published(free) + u.batched() }},
	{group: sourcePart, name: Queue, of: func(u use) float64 { // sent singly, received and deleted by ten
		return (1.2*u.metered(64<<10)+emptyPolls*hoursOfMonth)*QueueRequest.Dollars + u.ingested(u.requests()/100)
	}},
	{group: sourcePart, name: Stream, of: func(u use) float64 {
		return hoursOfMonth*StreamHour.Dollars + u.metered(1<<10)*(1<<10)/1e9*StreamGBIn.Dollars +
			u.events()*u.Bytes/1e9*StreamGBOut.Dollars + u.ingested(u.requests()/100)
	}},
	{group: insteadPart, name: influx, against: IoT, of: func(u use) float64 {
		const disk = .1
		return 86.87 + u.published(MQTTMessage) + u.metered(5<<10)*RuleAction.Dollars + u.storedGB()*disk
	}},
	{group: insteadPart, name: timescale, against: HTTP, of: func(u use) float64 {
		return 24.53 + u.storedGB()*gp3
	}},
	{group: insteadPart, name: clickhouse, against: HTTP, of: func(u use) float64 {
		return 49.06 + u.storedGB()*gp3
	}},
}

const gp3 = .08 // a GB of a volume for a month

// defaultSource returns the source of a kind that a stage has beside the HTTP API.
func defaultSource(stage *config.Stage, subject string) string {
	for _, thing := range stage.Sources.Things {
		if thing == subject && stage.Sources.Batched {
			return IoTBatched
		} else if thing == subject {
			return IoT
		}
	}
	if stage.Sources.Pages && subject == string(web.Site.Name) {
		return Collector
	}
	return HTTP
}

// daysStored is how long events of a retention are stored, for a year at most.
func daysStored(p tier.Policy) float64 { return min(p.Raw, 365*tier.Day24).Hours() / 24 }
