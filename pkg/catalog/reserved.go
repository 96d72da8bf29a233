package catalog

// The fixed segments of the HTTP API's paths. A kind or a subject type with such a path
// would make routes ambiguous.
var (
	reservedKindPaths = map[string]bool{
		"restore": true, "purge": true, "deleted": true, "versions": true,
		"series": true, "latest": true, "count": true, "rollups": true, "top": true,
		"alerts": true, "rules": true,
	}
	reservedSubjectPaths = map[string]bool{"alerts": true, "rules": true}
)
