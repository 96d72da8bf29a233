package collector

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// visitorBytes is the length of a pseudonym: 96 bits, enough to avoid collisions in a day.
const visitorBytes = 12

// Visitor returns the pseudonym of a visitor: a hash of site, address and user agent, keyed
// with the secret of the day. A browser has the same pseudonym all day on one site. After the
// secret has expired, nothing links a pseudonym to a visitor, another day or another site.
func Visitor(secret []byte, site, address, userAgent string) string {
	mac := hmac.New(sha256.New, secret)
	for _, part := range []string{site, address, userAgent} {
		mac.Write(binary.AppendUvarint(nil, uint64(len(part)))) // no two triples hash the same bytes
		mac.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:visitorBytes])
}
