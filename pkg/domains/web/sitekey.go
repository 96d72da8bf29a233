package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// ErrSiteKey says that a site key was not made with any of the secrets.
var ErrSiteKey = errors.New("not a site key of this deployment")

// siteKeyBytes of the signature: nobody guesses them through a door.
const siteKeyBytes = 16

// SiteKey is the key with which a site's pages may send views, and may do nothing
// else: the site's id and its signature by a secret of the deployment. It stands in
// every page, so it is no secret; it only keeps others from making sites up.
func SiteKey(secret []byte, site string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(site)) + "." + base64.RawURLEncoding.EncodeToString(sign(secret, site))
}

// OpenSiteKey is the site of a key that one of the secrets signed; ErrSiteKey where
// none did. While a secret is being changed there are two.
func OpenSiteKey(key string, secrets ...[]byte) (site string, err error) {
	id, signature, _ := strings.Cut(key, ".")
	name, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || len(name) == 0 {
		return "", ErrSiteKey
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil {
		return "", ErrSiteKey
	}
	for _, secret := range secrets {
		if hmac.Equal(given, sign(secret, string(name))) {
			return string(name), nil
		}
	}
	return "", ErrSiteKey
}

func sign(secret []byte, site string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("site key\n" + site)) // so that it serves as nothing else
	return mac.Sum(nil)[:siteKeyBytes]
}

// What the doors of the collector agree on.
const (
	CollectPath  = "/v1/collect/" // a site's key follows
	KeyParameter = "siteKey"      // of the path, as the route names it
	SiteContext  = "site"         // in which a checked key's site is passed on
)

// LocalSecret signs site keys on a laptop, where nobody is kept out.
const LocalSecret = "site-keys-of-a-laptop-are-signed-by-a-secret-that-everybody-knows"
