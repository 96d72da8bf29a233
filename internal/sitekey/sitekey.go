// Package sitekey signs and checks the keys with which the pages of a website send page
// views. It has no dependencies, so that the authorizer that checks keys starts fast.
package sitekey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// ErrInvalid is returned for a key that none of the secrets has signed.
var ErrInvalid = errors.New("not a site key of this deployment")

// The routes of the collector. Their authorizer, its handler and the infrastructure share these
// names.
const (
	PathPrefix  = "/v1/collect/" // followed by the key
	PathEvent   = "/api/event"   // Plausible's event API; requests name a declared site, and have no key
	PathParam   = "siteKey"      // path parameter with the key
	ContextSite = "site"         // field of the authorizer's context with the id of the site
)

// LocalSecret signs the keys of "tidemark dev". It is public and protects nothing.
const LocalSecret = "site-keys-of-a-laptop-are-signed-by-a-secret-that-everybody-knows"

// signatureBytes is the length of a signature: 128 bits, too long to guess.
const signatureBytes = 16

// New returns the key of a site: its id and a signature of the id. A key only allows
// sending page views of that site. It is part of every page, so it is not secret.
func New(secret []byte, site string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(site)) + "." + base64.RawURLEncoding.EncodeToString(sign(secret, site))
}

// Open returns the site of a key that one of the secrets has signed, else ErrInvalid. There
// are two secrets while the secret is rotated.
func Open(key string, secrets ...[]byte) (site string, err error) {
	id, signature, _ := strings.Cut(key, ".")
	name, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || len(name) == 0 {
		return "", ErrInvalid
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil {
		return "", ErrInvalid
	}
	for _, secret := range secrets {
		if hmac.Equal(given, sign(secret, string(name))) {
			return string(name), nil
		}
	}
	return "", ErrInvalid
}

// sign returns the signature of a site. The prefix separates it from other uses of the secret.
func sign(secret []byte, site string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("site key\n" + site))
	return mac.Sum(nil)[:signatureBytes]
}
