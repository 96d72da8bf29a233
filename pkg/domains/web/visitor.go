package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// visitorBytes of a hash tell more visitors apart than a site has in a day.
const visitorBytes = 12

// Visitor names who looked, for a day and a site: a hash under the day's salt of the
// site, the address and the user agent. The same browser is the same visitor all day;
// once the salt has expired nobody can tell whose name it was, nor tie two days or two
// sites together.
func Visitor(salt []byte, site, address, userAgent string) string {
	mac := hmac.New(sha256.New, salt)
	for _, part := range []string{site, address, userAgent} {
		mac.Write(binary.AppendUvarint(nil, uint64(len(part)))) // no two triples are the same bytes
		mac.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:visitorBytes])
}
