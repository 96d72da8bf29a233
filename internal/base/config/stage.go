package config

import "time"

// Stage is one deployment: a stack with its own table.
type Stage struct {
	Name         string `yaml:"-"` // suffix of the stack's name
	Account      string // the only AWS account that it is deployed to; "" for any
	Region       string // the only region; "" for any
	Billing      Billing
	Removal      Removal
	Table        string        // ARN of the stream of an existing table, which the stack uses; "" creates one
	LogRetention time.Duration // one of those that CloudWatch Logs supports
	AlarmMail    string        // "" sends no mail; the alarms exist nevertheless
	AlarmTopic   string        // ARN of an SNS topic to notify as well; "" for none
	Webhooks     Webhooks      // receive alerts
	Archive      Archive       // for Athena
	// CustomerKey creates a KMS key for the table, queues, secrets and logs of the stage.
	// Without it, AWS manages the keys.
	CustomerKey bool
	Tracing     bool // X-Ray
	// Sweeps is how many invocations share the queue shards each minute.
	Sweeps int
	// Monitoring is how much of CloudWatch the stage pays for.
	Monitoring Monitoring
	// Canary sends a tenth of the invocations of a new version to it for five minutes, and
	// rolls it back when an alarm of the functions goes off.
	Canary   bool
	Reserved Reserved
	Ceiling  Ceiling
	Access   Access
	// UI serves the pages, whose readers sign in at the issuer of tokens, and shared links.
	UI bool `yaml:"ui"`
	// Origins are the websites whose scripts may read the HTTP API with a token.
	Origins    []string `yaml:"cors"`
	Domain     Domain
	CloudFront CloudFront // in front of the collector
	// ARN of the permissions boundary of every role; "" for none
	Boundary string `yaml:"permissionsBoundary"`
	Throttle Throttle
	// PublicThrottle limits the routes whose callers need no credentials but what a web page or a link has.
	PublicThrottle Throttle
	Sources        Sources
}

// Removal is what happens to the table when its stage is destroyed.
type Removal string

// The removal policies.
const (
	Retain  Removal = "retain"  // the table is kept, and protected from deletion
	Destroy Removal = "destroy" // the table is deleted with all data
)

// Unprotected is the CDK context, set to true, in which a stage is deployed for the first time:
// neither the stack nor its table is protected from deletion, so that CloudFormation can
// delete both if the deployment fails. The next deployment protects them.
const Unprotected = "unprotected"

// Monitoring is a choice of alarms, graphs and metrics.
type Monitoring string

// The choices.
const (
	FullMonitoring Monitoring = "full" // all alarms, the dashboard, the counts of mappings and routes
	LeanMonitoring Monitoring = "lean" // the alarms on silence and loss, and nothing else
)

// Billing is the capacity mode of the table. The zero value is on demand.
type Billing struct {
	ReadUnits, WriteUnits int // a second; both positive is provisioned, both zero is on demand
	Autoscale             Autoscale
}

// Autoscale changes provisioned units with the load, from Billing's units up. The zero value changes none.
type Autoscale struct {
	ReadUnits, WriteUnits int // a second, at most
	Utilization           int // percent of the provisioned units that AWS aims to have in use
}

// Provisioned reports whether the table has provisioned capacity.
func (b Billing) Provisioned() bool { return b != Billing{} }

// Reserved is the reserved concurrency of each function; 0 reserves none. A function never has more
// invocations at once than are reserved for it, so a flood of its requests takes none of the others.
type Reserved struct {
	Ingest, Aggregate, Query, Authorize int

	Prometheus int // where prometheus is on
	Pages      int // where ui is on
}

// Webhooks are services that receive alerts. The zero value has none.
type Webhooks struct {
	Slack        string // ARN of a secret, the URL of an incoming webhook of Slack, or of what takes the same
	PagerDuty    string // ARN of a secret, the key of an integration of PagerDuty's Events API, version 2
	PagerDutyURL string `yaml:"pagerDutyUrl"` // "" is the Events API's address in the United States
	Severity     string // the lowest that is sent: info, warning, or critical, the default
}

// Archive is the folder of the exports that the stage describes to Athena. The zero value describes none.
type Archive struct {
	To   string // s3://bucket/folder, the --to of tidemark export with --format parquet
	From string // the first day, such as 2015-01-01; "" is 2015-01-01
}

// Ceiling bounds what a flood of requests costs. Zero values set no limit.
type Ceiling struct {
	ReadUnits, WriteUnits int // a second, of an on-demand table and of each of its indexes
	Inbox                 int // invocations at once by the queue
	Budget                int // dollars a month of the account: 80 % of it, and a forecast above it, notify
}

// SignIn is how people sign in to the deployed pages: with an OAuth client at the issuer of the stage's
// tokens. Function pages reads it from EnvSignIn, as JSON.
type SignIn struct {
	Issuer   string `json:"issuer"`
	Client   string `json:"client"`
	Scope    string `json:"scope"`
	Audience string `json:"audience,omitempty"` // requested of the issuer; "" if it is the client
}

// Access says which callers the HTTP API accepts. The zero value is IAM: requests signed by a
// principal that may execute-api:Invoke. There is no anonymous access.
type Access struct {
	Issuer   string   // of JSON Web Tokens, for example https://login.example.com; "" is IAM
	Audience []string // a token must have one of these
	// OwnerClaim names the claim that restricts a caller to the subjects of one owner; ""
	// allows every caller all subjects.
	OwnerClaim string
	// Client is the OAuth client of the pages at the issuer; "" is the first audience.
	Client string
	// ScopePrefix begins the scopes that a token needs: with "tidemark/", a read needs
	// tidemark/read. "" requires no scopes.
	ScopePrefix string
}

// ByToken reports whether callers send a token, rather than sign with IAM.
func (a Access) ByToken() bool { return a.Issuer != "" }

// Domain is a domain name of the HTTP API or of a distribution. The zero value is the name that AWS gives it.
type Domain struct {
	Name        string // api.example.com
	Certificate string // ARN of its certificate in AWS Certificate Manager, for the API in the stage's region
}

// CloudFront is the web ACL of a distribution in front of the collector: one that exists, or one that the
// stack creates, in the region us-east-1 only. The zero value has no distribution.
type CloudFront struct {
	WebACL string `yaml:"webAcl"` // ARN of a web ACL for CloudFront
	Rate   int    // of the created web ACL: requests of one address in five minutes
	Domain Domain // its certificate is in us-east-1
}

// Throttle is the limit of requests of each route of the HTTP API.
type Throttle struct {
	Rate  int // requests a second
	Burst int // requests at once
}

// Sources are the sources of events other than the HTTP API.
type Sources struct {
	// Things are the subject types, such as DEVICE, whose subjects publish through AWS IoT
	// Core to {Topic}/{subjects}/{id}/{kinds}. If empty, there is no IoT rule.
	Things []string
	// Topic is the first level of the stage's MQTT topics, which separates the instances of one account; ""
	// is the instance's name, such as tidemark-prod.
	Topic   string
	Batched bool // rules send up to ten messages of any topics in one request
	Pages   bool // the collector of page views, and the routes of sites
	Senders bool // the routes of InfluxDB line protocol and OTLP, for senders with a write key
	Clients bool // the routes that clients of InfluxDB ask beside their writes
	SQS     bool // a queue
	Kinesis bool // a data stream, on demand
}

// NewStage returns a stage with defaults.
func NewStage(name string) Stage {
	return Stage{
		Name:         name,
		Removal:      Retain,
		LogRetention: 90 * day,
		Monitoring:   FullMonitoring,
		Sweeps:       1,
		Throttle:     Throttle{Rate: 500, Burst: 1000},

		PublicThrottle: Throttle{Rate: 100, Burst: 200},
		Reserved:       Reserved{Prometheus: 20, Pages: 10},
		Sources:        Sources{Things: []string{"DEVICE"}, Pages: true, Senders: true},
	}
}
