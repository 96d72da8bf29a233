// Package tableconfig compares a declared configuration with the one that the table was
// written under. Rows can only be recomputed by the tiers, retentions and scales under which
// they were written, so the table stores them: one entity.KindConfig for each kind.
//
// The table's configuration decides. Apply is a step of a deployment: it writes the declared configuration
// to the table, computes the start of new tiers, and keeps the least retention ever. A process calls Load at
// its start: it runs by the tiers and retentions of the table, so that a change has no effect before Apply,
// and by what it declares else. Both refuse a change that would make stored rows wrong.
package tableconfig
