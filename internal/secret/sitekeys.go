package secret

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/sitekey"
)

// SiteKeys returns the secret that signs site keys: the first word of the secret with the ARN,
// which is the newest one, or that of "tidemark dev" if the ARN is empty.
func SiteKeys(ctx context.Context, arn string, read Reader) ([]byte, error) {
	if arn == "" {
		return []byte(sitekey.LocalSecret), nil
	}
	text, err := read(ctx, arn)
	if err != nil {
		return nil, err
	}
	if words := strings.Fields(text); len(words) > 0 {
		return []byte(words[0]), nil
	}
	return nil, fmt.Errorf("secret %s is empty: store a long random text in it", arn)
}
