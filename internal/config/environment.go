package config

// Environment variables of the deployed functions, in addition to EnvFile.
const (
	EnvTable = "TIDEMARK_TABLE" // the table's name
	// EnvCursorSecret is the ARN of the secret that signs cursors. It is read at cold start,
	// so that it is not visible in the configuration of the function.
	EnvCursorSecret = "TIDEMARK_CURSOR_SECRET"
	// EnvSiteSecret is the ARN of the secret that signs site keys. While it is rotated, it
	// contains two texts, separated by white space: the first signs, and both are accepted.
	EnvSiteSecret = "TIDEMARK_SITE_SECRET"
	// EnvOriginSecret is the ARN of the secret that a trusted CloudFront distribution sends.
	// While it is rotated, it contains two texts, as EnvSiteSecret does.
	EnvOriginSecret = "TIDEMARK_ORIGIN_SECRET"
	// EnvOwnerClaim names the claim of a token that restricts a caller to the subjects of one
	// owner; if empty, callers are not restricted.
	EnvOwnerClaim = "TIDEMARK_OWNER_CLAIM"
	// EnvAlertBus is the name of the event bus for notifications of alerts. EnvAlertFile is a
	// file that replaces it in "tidemark dev".
	EnvAlertBus  = "TIDEMARK_ALERT_BUS"
	EnvAlertFile = "TIDEMARK_ALERT_FILE"
)
