package model

// Profile is what is stored about a subject itself, apart from its events. An active
// profile has a zero DeletedAt. A tombstone is the profile of a deleted subject.
type Profile struct {
	Subject   Subject
	Attrs     Attrs
	CreatedAt Time  // zero if not known
	UpdatedAt Time  // time of the last change; zero if not known
	DeletedAt Time  // of a tombstone; zero otherwise
	ExpiresAt int64 // epoch seconds, the TTL attribute; 0 means never
	// Version counts the changes, from 1 at creation. It is 0 if another program wrote the item.
	Version int64
	// Generation is chosen at random when the subject is created. Other items of the subject refer to it, so
	// that they are not mistaken for items of a later subject with the same id.
	Generation Generation
	// Sentinels are the partition keys of the unique sentinels that this profile owns.
	Sentinels []string
	// Foreign holds attributes of types that Attrs cannot have (sets, bytes, and lists and maps that contain
	// them), which another program wrote, in the form of the store. Deletion and restoration keep them.
	Foreign any
}

// Generation identifies one generation of a subject, which may be created, purged and
// created again under the same id.
type Generation [16]byte

// ProfileChange is the kind of change that made a version of a profile.
type ProfileChange string

// The changes of a profile.
const (
	ProfileCreated  ProfileChange = "created"
	ProfileUpdated  ProfileChange = "updated"
	ProfileDeleted  ProfileChange = "deleted"
	ProfileRestored ProfileChange = "restored"
)

// ProfileVersion is a profile after a change.
type ProfileVersion struct {
	Profile // its ExpiresAt is the version item's
	Change  ProfileChange
}
