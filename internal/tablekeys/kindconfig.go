package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// KindConfigs is the partition key of the configurations that the table was written under.
const KindConfigs = classJob + string(separator) + "config"

const classKindConfig = "KIND"

// AttrConfig is the attribute with the configuration of a kind.
const AttrConfig = "_config" // String: JSON of entity.KindConfig

// KindConfig returns the key of the configuration of a kind.
func KindConfig(kind string) keys.Key {
	return keys.Key{PK: KindConfigs, SK: keyparts.Join(classKindConfig, kind)}
}

// ParseKindConfig is the inverse of KindConfig.
func ParseKindConfig(k keys.Key) (kind string, _ error) {
	return parseJob(k, KindConfigs, classKindConfig)
}
