package config

import "time"

// Stage is one deployment of the whole.
type Stage struct {
	Name         string // the suffix of the stack's name
	Billing      Billing
	Removal      Removal
	LogRetention time.Duration // one that CloudWatch Logs knows
	AlarmMail    string        // "" sends no mail; the alarms stand all the same
	AlarmTopic   string        // ARN of an SNS topic that is told too; "" tells none
	// CustomerKey makes a KMS key of the stage's own for table, queues, secret and
	// logs; without it AWS keeps the keys.
	CustomerKey bool
	Tracing     bool // X-Ray
	Reserved    Reserved
	Access      Access
	Throttle    Throttle
	Sources     Sources
}

// Removal says what becomes of the table when its stage is destroyed.
type Removal string

// The removals.
const (
	Retain  Removal = "retain"  // it stays, and is protected against deletion
	Destroy Removal = "destroy" // it goes with all data
)

// Billing is how the table's capacity is paid. The zero value is on demand.
type Billing struct {
	ReadUnits, WriteUnits int // a second, both positive: provisioned; both zero: on demand
}

// Provisioned reports whether capacity is bought ahead.
func (b Billing) Provisioned() bool { return b != Billing{} }

// Reserved is how many invocations of each function may be under way at once, set
// apart for it out of the account's; 0 sets none apart.
type Reserved struct {
	Ingest, Aggregate, Query int
}

// Access says whom the HTTP API lets in. The zero value is IAM: requests signed by a
// principal that may execute-api:Invoke. Nobody is let in unasked.
type Access struct {
	Issuer   string   // of JSON Web Tokens, as https://login.example.com; "" means IAM
	Audience []string // one of these must be the token's
	// OwnerClaim names the claim that binds a caller to an owner's subjects; "" lets
	// every caller reach all.
	OwnerClaim string
}

// ByToken reports whether callers show a token rather than sign with IAM.
func (a Access) ByToken() bool { return a.Issuer != "" }

// Throttle is how many requests each route of the HTTP API takes.
type Throttle struct {
	Rate  int // a second, lasting
	Burst int // at once
}

// Doors are the ways in beside the HTTP API.
type Sources struct {
	// Things are the subject types, as DEVICE, whose subjects publish through AWS IoT
	// Core, to {Topic}/{subjects}/{id}/{kinds}; none shuts that door.
	Things []string
	// Topic is the first level of the stage's MQTT topics, so that stages of one
	// account do not hear each other's devices.
	Topic   string
	SQS     bool // a queue
	Kinesis bool // a data stream, on demand
}

// stageOf is a stage of which only the name is known.
func stageOf(name string) Stage {
	return Stage{
		Name:         name,
		Removal:      Retain,
		LogRetention: 90 * day,
		Throttle:     Throttle{Rate: 500, Burst: 1000},
		Sources:      Sources{Things: []string{"DEVICE"}, Topic: "tidemark-" + name},
	}
}
