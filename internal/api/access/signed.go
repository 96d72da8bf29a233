package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// signatureBytes is the length of a signature: 128 bits, too long to guess.
const signatureBytes = 16

var sealEncoding = base64.RawURLEncoding.Strict()

// seal returns a text with its signature. purpose is a constant without line breaks: it separates
// the uses of one secret. The text is encoded, not encrypted.
func seal(secret []byte, purpose, text string) string {
	return sealEncoding.EncodeToString([]byte(text)) + "." +
		sealEncoding.EncodeToString(signature(secret, purpose, text))
}

// openSealed returns the text that one of the secrets has signed for this purpose. ok is false for any
// other sealed text, also for another spelling of the same bytes: decoding base64 ignores line breaks.
// There are two secrets while the secret is rotated.
func openSealed(sealed, purpose string, secrets ...[]byte) (text string, ok bool) {
	encoded, _, _ := strings.Cut(sealed, ".")
	content, err := sealEncoding.DecodeString(encoded)
	if err != nil {
		return "", false
	}
	for _, secret := range secrets {
		if hmac.Equal([]byte(sealed), []byte(seal(secret, purpose, string(content)))) {
			return string(content), true
		}
	}
	return "", false
}

func signature(secret []byte, purpose, text string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(purpose + "\n" + text))
	return mac.Sum(nil)[:signatureBytes]
}
