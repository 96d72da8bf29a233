package model

// Profile is what is known of a subject as a whole, whatever its events say. One that
// stands has a zero DeletedAt; a tombstone is the profile of a subject that was deleted.
type Profile struct {
	Subject   Subject
	Attrs     Attrs
	CreatedAt Time  // zero where it is not known
	UpdatedAt Time  // of the last change; zero where it is not known
	DeletedAt Time  // of a tombstone; zero otherwise
	ExpiresAt int64 // epoch seconds, the TTL attribute; 0 means never
	// Version counts the changes, its creation being 1. It is 0 where another program
	// made the item.
	Version int64
	// Life is the nonce of the creation. What a subject leaves beside its profile names
	// the life it belongs to, so that no later life of the same subject is mistaken for it.
	Life Life
	// Sentinels are the partitions of the unique sentinels that this profile holds.
	Sentinels []string
}

// Life tells the lives of a subject apart: created, removed for good, created again.
type Life [16]byte

// ProfileChange is what a version came of.
type ProfileChange string

// The changes of a profile.
const (
	ProfileCreated  ProfileChange = "created"
	ProfileUpdated  ProfileChange = "updated"
	ProfileDeleted  ProfileChange = "deleted"
	ProfileRestored ProfileChange = "restored"
)

// ProfileVersion is a profile as a change left it.
type ProfileVersion struct {
	Profile // ExpiresAt is the version's own
	Change  ProfileChange
}

// Sentinel holds a value of a unique constraint: while it is there, nobody else has
// that value. It names its owner, and only its owner removes it.
type Sentinel struct {
	Partition string // the key it stands under
	Owner     Subject
	Life      Life
}
