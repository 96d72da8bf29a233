// Package local is the laptop's AWS: it runs the very binaries that deploy, as
// processes under the Lambda Runtime API, against DynamoDB Local, with an HTTP front
// in the shape of API Gateway's and an event-source mapping on the real table stream.
//
// Nothing of the product is replaced by a stand-in: what differs from the cloud is
// only who calls. So what is seen here (a crash between a write and its
// acknowledgement, a batch that comes twice) is what the deployed functions would do.
// Each child is ended with its parent, however the parent ends.
package local
