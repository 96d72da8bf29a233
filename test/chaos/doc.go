// Package chaos runs the stack under load while functions are killed, connections to the database
// are cut, and batches are delivered again and late, all at random. Afterwards it compares every
// bucket with an independent oracle. The exit status is 1 if a bucket differs.
//
// The random choices depend on the seed; when they take effect depends on the machine.
package chaos
