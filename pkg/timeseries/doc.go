// Package timeseries is the API for Go programs. Open compiles a kind of event and a Go
// type, whose tags give each field a role, and reports every configuration mistake with a
// code. The opened Events appends values and reads events, latest items and rollups.
// OpenProfiles does the same for what is stored about the subjects themselves.
//
// A kind of sessions, such as web.Sessions, is opened with the kinds that its sessions are folded from, in
// Options.Sources: its rollups are read as for other kinds.
//
// It uses the same packages as the deployed functions, ingest and query, so outcomes and
// results are the same. Times of a program are time.Time, in the fields of its types and in
// options. Times of stored rollups are model.Time, which has a method Time.
//
// # Compared with libraries for any table
//
// What a program writes for five tasks, here and with guregu/dynamo (Go), ElectroDB and
// dynamodb-toolbox (both TypeScript), which know no events, latest items and rollups:
//
//	task                   timeseries         guregu/dynamo        ElectroDB             dynamodb-toolbox
//	define a type          tags, Open         tags                 Entity, its indexes   Table, Entity, its schema
//	append an event and    Append             WriteTx of a Put     transaction.write of  execute of a put and an
//	advance the latest                        and an Update, If    a create and an       update transaction, each
//	                                          on each              upsert with where     with its condition
//	tell a repeated event  outcome: a value   error, by the code   canceled, by the      exception, by the
//	from one that is late                     of each item         code of each item     reasons that it lists
//	append if a field of   option If          If, a text with      where, a callback     condition, an object
//	the latest has a value                    placeholders
//	read a range, newest   History, In,       Get, Range, Order:   query, between, go:   QueryCommand, query,
//	first                  Newest: [a, b)     [a, b]               [a, b]                options: [a, b]
//	rollups of an hour     Rollups            a function on the stream, of the program's own, that must survive
//	                                          repeats, disorder, deletions and late events
//	an option of another   does not compile   one builder for all  does not compile      does not compile
//	read                                      queries
package timeseries
