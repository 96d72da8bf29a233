package config

// The environment of the deployed functions, beside EnvFile: what the infrastructure
// sets and what they read have one spelling.
const (
	EnvTable = "TIDEMARK_TABLE" // the table's name
	// EnvCursorSecret is the ARN of the secret by whose text query signs cursors. It
	// is read at cold start, so that no configuration of the function shows it.
	EnvCursorSecret = "TIDEMARK_CURSOR_SECRET"
	// EnvSiteSecret is the ARN of the secret by whose texts site keys are signed: one, or
	// while it is being changed two, apart by white space. The first signs, all open.
	EnvSiteSecret = "TIDEMARK_SITE_SECRET"
	// EnvOwnerClaim names the claim of a caller's token that binds it to an owner, in
	// ingest and query alike; unset, or empty, binds nobody.
	EnvOwnerClaim = "TIDEMARK_OWNER_CLAIM"
	// EnvAlertBus is the name of the event bus that aggregate tells of alerts. EnvAlertFile
	// is a file that stands in for it on a laptop.
	EnvAlertBus  = "TIDEMARK_ALERT_BUS"
	EnvAlertFile = "TIDEMARK_ALERT_FILE"
)
