package cost

// ListPrice is what AWS charges for one unit: in us-east-1, before any free tier, in the month AsOf.
type ListPrice struct {
	Dollars float64
	Unit    string // what is billed
	Page    string // where AWS publishes the price
}

func listed(dollars float64, unit, page string) ListPrice {
	return ListPrice{Dollars: dollars, Unit: unit, Page: page}
}

// AsOf is when the list prices were last compared with their pages.
const AsOf = "November 2026"

// The list prices. Every figure of tidemark cost, make cost, make deploy-dry and docs/run/COST.md follows
// from them.
var (
	WriteUnit   = listed(0.625e-6, "a write unit on demand", dynamoDBPage)
	ReadUnit    = listed(0.125e-6, "a read unit on demand", dynamoDBPage)
	WriteHour   = listed(0.00065, "a provisioned write unit for an hour", dynamoDBPage)
	ReadHour    = listed(0.00013, "a provisioned read unit for an hour", dynamoDBPage)
	StoredMonth = listed(0.25, "a GB stored for a month", dynamoDBPage)
	BackupMonth = listed(0.20, "a GB of point-in-time recovery for a month", dynamoDBPage)

	Invocation = listed(0.20e-6, "an invocation", lambdaPage)
	GBSecond   = listed(0.0000133334, "a GB of memory for a second, on ARM", lambdaPage)

	APIRequest = listed(1e-6, "a request to an HTTP API, for each 512 KB", "aws.amazon.com/api-gateway/pricing")

	MQTTMessage   = listed(1e-6, "a message, for each 5 KB", iotPage)
	RuleTriggered = listed(0.15e-6, "a triggered rule, for each 5 KB", iotPage)
	RuleAction    = listed(0.15e-6, "an action of a rule, for each 5 KB", iotPage)
	DeviceMinute  = listed(0.08e-6, "a minute of a connection", iotPage)

	QueueRequest = listed(0.40e-6, "a request to a queue, for each 64 KB", "aws.amazon.com/sqs/pricing")

	StreamHour  = listed(0.04, "a data stream on demand for an hour", kinesisPage)
	StreamGBIn  = listed(0.08, "a GB put into a data stream, for each KB of a record", kinesisPage)
	StreamGBOut = listed(0.04, "a GB read from a data stream", kinesisPage)

	Metric = listed(0.30, "a custom metric for a month, by the hours in which it has values",
		cloudWatchPage)
	AlarmMetric    = listed(0.10, "a metric of an alarm for a month", cloudWatchPage)
	CompositeAlarm = listed(0.50, "a composite alarm for a month", cloudWatchPage)
	Dashboard      = listed(3, "a dashboard for a month", cloudWatchPage)
	LogGB          = listed(0.50, "a GB of logs", cloudWatchPage)

	Trace = listed(5e-6, "a trace that is recorded", "aws.amazon.com/xray/pricing")

	SecretMonth = listed(0.40, "a secret for a month", "aws.amazon.com/secrets-manager/pricing")
	KeyMonth    = listed(1, "a customer key for a month", "aws.amazon.com/kms/pricing")
	WebACLMonth = listed(6, "a web ACL with one rule for a month", "aws.amazon.com/waf/pricing")
	EdgeRequest = listed(1e-6, "a request to CloudFront over HTTPS", "aws.amazon.com/cloudfront/pricing")
	ACLRequest  = listed(0.60e-6, "a request that a web ACL checks", "aws.amazon.com/waf/pricing")
)

const (
	dynamoDBPage   = "aws.amazon.com/dynamodb/pricing"
	lambdaPage     = "aws.amazon.com/lambda/pricing"
	iotPage        = "aws.amazon.com/iot-core/pricing"
	kinesisPage    = "aws.amazon.com/kinesis/data-streams/pricing"
	cloudWatchPage = "aws.amazon.com/cloudwatch/pricing"
)
