package keys

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
)

const separator = keyparts.Separator

// Attributes of the primary key and of the two indexes.
const (
	AttrPK     = "pk"
	AttrSK     = "sk"
	AttrGSI1PK = "gsi1pk"
	AttrGSI1SK = "gsi1sk"
	AttrGSI2PK = "gsi2pk"
	AttrGSI2SK = "gsi2sk"
)

// Names of the indexes.
const (
	IndexGSI1 = "gsi1"
	IndexGSI2 = "gsi2"
)

// Attributes that an item of any class may have.
const (
	AttrVersion   = "v"         // Number: format version of the item
	AttrExpiresAt = "expiresAt" // Number: TTL in epoch seconds; absent if the item never expires
	AttrCreatedAt = "createdAt" // String: the source's clock at the first append
)

// Classes of items. A sort key begins with its class.
const (
	ClassMetadata = "METADATA" // the profile of a subject
	ClassLatest   = "CURRENT"  // the latest item of a series
	ClassEvent    = "EVENT"
	ClassRow      = "AGG" // a rollup
)

// ownAttributes are the table's attribute names that do not begin with an underscore.
var ownAttributes = map[string]bool{
	AttrPK: true, AttrSK: true,
	AttrGSI1PK: true, AttrGSI1SK: true, AttrGSI2PK: true, AttrGSI2SK: true,
	AttrVersion: true, AttrExpiresAt: true, AttrCreatedAt: true,
}

// Reserved reports whether the table uses an attribute name, so that no field may have
// it: the attribute names above, and every name that begins with an underscore.
func Reserved(name string) bool { return strings.HasPrefix(name, "_") || ownAttributes[name] }
