// Package lifecycle is the life of a subject: its profile is created, changed,
// deleted, restored and removed; its unique values are held and let go; each change is
// kept as a version; and when it is to be forgotten, everything of it is purged.
//
// Every change of a profile is one transaction with conditions on what was read, so
// that two who change it at once cannot both be right, and what stands beside the
// profile (its version, its sentinels) never disagrees with it. What comes of a
// change is an Outcome: verdicts are values, and an error is only what no repeat can
// mend. The package knows no AWS type; a Store answers what the server answered.
package lifecycle
