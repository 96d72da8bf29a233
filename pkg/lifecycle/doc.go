// Package lifecycle manages the profiles of subjects: it creates, changes, deletes,
// restores and removes them, reserves their unique values, and keeps a version of each
// change. It also purges subjects: a purge removes everything that is stored for one.
//
// Every change of a profile is one transaction whose preconditions are the state that was
// read before. Two concurrent changes therefore never both succeed on the same state, and
// the profile, its version and its unique values always agree.
//
// The result of a change is a Result with an Outcome. A rejected profile and a change that the table did not
// decide are errors. The package uses no AWS types; package dynamo and package memory implement Store.
package lifecycle
