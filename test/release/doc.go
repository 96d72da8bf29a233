// Package release tests what a user gets who has no checkout: the files of a release, and the
// command line of go install.
package release
