// Package stack runs the AWS side of Tidemark on one machine: the deployed binaries as processes
// under the Lambda Runtime API, DynamoDB Local, an HTTP server that behaves as API Gateway, and an
// event source mapping on the table stream.
//
// No code of Tidemark is replaced, only the AWS services that call it. A crash between a write and
// its acknowledgement, or a batch that is delivered twice, therefore has the same effect as in AWS.
// Child processes end with their parent.
package stack
