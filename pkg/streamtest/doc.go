// Package streamtest tests a Lambda function that processes a DynamoDB table stream. A Trial
// simulates histories of tables, of requests to them and of the delivery of their stream,
// with faults: crashes between two writes, lost responses, batches delivered twice or
// concurrently, throttling, shards that split and merge, and all others that Faults lists.
//
// The function uses a Table, or, unchanged, its client of an AWS SDK with DynamoDB as the transport.
//
// Each history depends only on its seed, and takes milliseconds because its clock is
// simulated. Checks run whenever no request and no record is outstanding. A failing history
// is reduced to the choices that make it fail, and printed as a Trace.
package streamtest
