// Package signed makes texts that only a holder of a secret can make, for use in URLs: keys of websites and
// shared links. It has few dependencies, so that the authorizer that checks them starts fast.
package signed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// signatureBytes is the length of a signature: 128 bits, too long to guess.
const signatureBytes = 16

var encoding = base64.RawURLEncoding.Strict()

// Seal returns a text with its signature. purpose is a constant without line breaks: it separates
// the uses of one secret. The text is encoded, not encrypted.
func Seal(secret []byte, purpose, text string) string {
	return encoding.EncodeToString([]byte(text)) + "." + encoding.EncodeToString(sign(secret, purpose, text))
}

// Open returns the text that one of the secrets has signed for this purpose. ok is false for any
// other sealed text. There are two secrets while the secret is rotated.
func Open(sealed, purpose string, secrets ...[]byte) (text string, ok bool) {
	encoded, signature, _ := strings.Cut(sealed, ".")
	content, err := encoding.DecodeString(encoded)
	if err != nil {
		return "", false
	}
	given, err := encoding.DecodeString(signature)
	if err != nil {
		return "", false
	}
	for _, secret := range secrets {
		if hmac.Equal(given, sign(secret, purpose, string(content))) {
			return string(content), true
		}
	}
	return "", false
}

func sign(secret []byte, purpose, text string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(purpose + "\n" + text))
	return mac.Sum(nil)[:signatureBytes]
}
