// Package dynoxide runs the contract of stores and the stack on dynoxide, an independent
// implementation of DynamoDB. README.md lists where it differs from DynamoDB Local.
package dynoxide
