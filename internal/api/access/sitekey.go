package access

import (
	"errors"
)

// ErrInvalidSiteKey is returned for a key that none of the secrets has signed.
var ErrInvalidSiteKey = errors.New("not a site key of this deployment")

// The routes of the collector. Their authorizer, its handler and the infrastructure share these names.
const (
	SiteKeyRoute      = SiteKeyPathPrefix + "{" + SiteKeyPathParam + "}"
	SiteKeyPathPrefix = "/v1/collect/" // followed by the key
	PathEvent         = "/api/event"   // Plausible's event API; requests name a declared site, and have no key
	SiteKeyPathParam  = "siteKey"      // path parameter with the key
	ContextSite       = "site"         // field of the authorizer's context with the id of the site
)

// LocalSecret signs the keys of "tidemark dev". It is public and protects nothing.
const LocalSiteSecret = "site-keys-of-a-laptop-are-signed-by-a-secret-that-everybody-knows"

// purpose separates site keys from other uses of the secret.
const siteKeyPurpose = "site key"

// NewSiteKey returns the key of a site: its id and a signature of the id. A key only allows
// sending page views of that site. It is part of every page, so it is not secret.
func NewSiteKey(secret []byte, site string) string { return seal(secret, siteKeyPurpose, site) }

// OpenSiteKey returns the site of a key that one of the secrets has signed, else ErrInvalidSiteKey. There
// are two secrets while the secret is rotated.
func OpenSiteKey(key string, secrets ...[]byte) (site string, err error) {
	site, ok := openSealed(key, siteKeyPurpose, secrets...)
	if !ok || site == "" {
		return "", ErrInvalidSiteKey
	}
	return site, nil
}
