package cost

// unit is what a part of a configuration is billed by.
type unit string

// The units. Counts are in millions, sizes in GB.
const (
	months   unit = "month" // 1, or 0 to leave out what does not depend on the load
	events   unit = "event"
	requests unit = "request"
	per5KB   unit = "5KB" // requests, each billed once for each 5 KB
	per64KB  unit = "64KB"
	per512KB unit = "512KB"
	sentGB   unit = "sentGB"
	storedGB unit = "storedGB"
	writes   unit = "write"
	reads    unit = "read"
)

// group is the part of a configuration that a choice is for.
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
	onDemand    = "on demand"
	provisioned = "provisioned with autoscaling, 70 % used"
	httpAPI     = "HTTP API"
	iotCore     = "AWS IoT Core"
)

// price is what one part of a configuration costs.
type price struct {
	group   group
	name    string
	column  bool   // it is in the table of all kinds
	against string // the source that an alternative is compared with
	dollars map[unit]float64
	asOf    string // the month of the list price, in us-east-1
	list    string // the page of the price
}

// november is when the prices were last compared with their pages.
const november = "November 2026"

// prices are list prices in us-east-1. Sources include the invocations of ingest (20 ms at 512 MB) and their
// logs (1.5 KB); instances are single ones, without those who operate them.
var prices = []price{
	{
		group: tablePart, name: onDemand, column: true,
		dollars: map[unit]float64{writes: 0.625, reads: 0.125},
		asOf:    november, list: "aws.amazon.com/dynamodb/pricing",
	},
	{
		group: tablePart, name: provisioned, column: true,
		dollars: map[unit]float64{writes: 0.2579, reads: 0.0516},
		asOf:    november, list: "aws.amazon.com/dynamodb/pricing",
	},
	{
		group: alwaysPart, name: "events stored, with point-in-time recovery", column: true,
		dollars: map[unit]float64{storedGB: 0.45},
		asOf:    november, list: "aws.amazon.com/dynamodb/pricing",
	},
	{
		group: alwaysPart, name: "table stream, read by Lambda",
		dollars: map[unit]float64{},
		asOf:    november, list: "aws.amazon.com/lambda/pricing",
	},
	{
		group: alwaysPart, name: "aggregate: an invocation in 5 s, 1 ms an event at 1 GB",
		dollars: map[unit]float64{months: 0.51, events: 0.0133},
		asOf:    november, list: "aws.amazon.com/lambda/pricing",
	},
	{
		group: sourcePart, name: httpAPI, column: true,
		dollars: map[unit]float64{requests: 1.083, per512KB: 1.0},
		asOf:    november, list: "aws.amazon.com/api-gateway/pricing",
	},
	{
		group: sourcePart, name: iotCore, column: true,
		dollars: map[unit]float64{requests: 1.083, per5KB: 1.3},
		asOf:    november, list: "aws.amazon.com/iot-core/pricing",
	},
	{
		group: sourcePart, name: "AWS IoT Core, Basic Ingest",
		dollars: map[unit]float64{requests: 1.083, per5KB: 0.3},
		asOf:    november, list: "aws.amazon.com/iot-core/pricing",
	},
	{
		group: sourcePart, name: "AWS IoT Core, batched: ten messages a request",
		dollars: map[unit]float64{requests: 0.208, per5KB: 1.165},
		asOf:    november, list: "aws.amazon.com/iot-core/pricing",
	},
	{
		group: sourcePart, name: "AWS IoT Core, Basic Ingest, batched: ten messages a request",
		dollars: map[unit]float64{requests: 0.208, per5KB: 0.165},
		asOf:    november, list: "aws.amazon.com/iot-core/pricing",
	},
	{
		group: sourcePart, name: "SQS, 100 messages an invocation",
		dollars: map[unit]float64{requests: 0.02, per64KB: 0.4},
		asOf:    november, list: "aws.amazon.com/sqs/pricing",
	},
	{
		group: sourcePart, name: "Kinesis on demand, 100 records an invocation",
		dollars: map[unit]float64{months: 29.2, requests: 0.011, sentGB: 0.12},
		asOf:    november, list: "aws.amazon.com/kinesis/data-streams/pricing",
	},
	{
		group: insteadPart, name: "rule of AWS IoT to Timestream for InfluxDB, db.influx.medium",
		against: iotCore,
		dollars: map[unit]float64{months: 86.87, per5KB: 1.3, storedGB: 0.1},
		asOf:    november, list: "aws.amazon.com/timestream/pricing",
	},
	{
		group: insteadPart, name: "PostgreSQL with TimescaleDB on a t4g.medium",
		against: httpAPI,
		dollars: map[unit]float64{months: 24.53, storedGB: 0.08},
		asOf:    november, list: "aws.amazon.com/ec2/pricing",
	},
	{
		group: insteadPart, name: "ClickHouse on a t4g.large",
		against: httpAPI,
		dollars: map[unit]float64{months: 49.06, storedGB: 0.08},
		asOf:    november, list: "aws.amazon.com/ec2/pricing",
	},
}
