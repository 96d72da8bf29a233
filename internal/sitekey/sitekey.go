// Package sitekey signs and checks the keys with which the pages of a website send page views. It has few
// dependencies, so that the authorizer that checks keys starts fast.
package sitekey

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/signed"
)

// ErrInvalid is returned for a key that none of the secrets has signed.
var ErrInvalid = errors.New("not a site key of this deployment")

// The routes of the collector. Their authorizer, its handler and the infrastructure share these names.
const (
	PathPrefix  = "/v1/collect/" // followed by the key
	PathEvent   = "/api/event"   // Plausible's event API; requests name a declared site, and have no key
	PathParam   = "siteKey"      // path parameter with the key
	ContextSite = "site"         // field of the authorizer's context with the id of the site
)

// LocalSecret signs the keys of "tidemark dev". It is public and protects nothing.
const LocalSecret = "site-keys-of-a-laptop-are-signed-by-a-secret-that-everybody-knows"

// purpose separates site keys from other uses of the secret.
const purpose = "site key"

// New returns the key of a site: its id and a signature of the id. A key only allows
// sending page views of that site. It is part of every page, so it is not secret.
func New(secret []byte, site string) string { return signed.Seal(secret, purpose, site) }

// Open returns the site of a key that one of the secrets has signed, else ErrInvalid. There
// are two secrets while the secret is rotated.
func Open(key string, secrets ...[]byte) (site string, err error) {
	site, ok := signed.Open(key, purpose, secrets...)
	if !ok || site == "" {
		return "", ErrInvalid
	}
	return site, nil
}
