package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// sealCursor returns the cursor of the next page, encrypted for the list that scope
// identifies: no other list accepts it. The zero position is the end and returns nil.
func sealCursor[T comparable](h *Handler, next T, scope []string) (*string, error) {
	var end T
	if next == end {
		return nil, nil
	}
	position, err := json.Marshal(next)
	if err != nil {
		return nil, err
	}
	sealed, err := h.Query.SealCursor(position, scope...)
	return &sealed, err
}

// openCursor returns the position of the request's cursor, the zero position if the
// request has none. The error may also concern a parameter.
func openCursor[T any](h *Handler, args params, scope []string) (after T, err error) {
	if args.err() != nil {
		return after, args.err()
	}
	position, err := h.Query.OpenCursor(args.text("cursor"), scope...)
	if err != nil || position == nil {
		return after, err
	}
	return after, json.Unmarshal(position, &after)
}

// localCursorKey encrypts cursors in a local stack, which has no access control.
const localCursorKey = "the public cursor key of local stacks"

var errCursorKey = errors.New("the cursor key is missing or shorter than 16 bytes: name its secret in " +
	config.EnvCursorSecret +
	", or set " + envCursorKey + " to a secret text without spaces, the same for every instance")

// cursorKeys returns the keys of the deployed function or of the local stack. The secret
// may have several keys, separated by spaces: the first encrypts new cursors, and the others
// still open cursors that clients hold while the key is replaced.
func cursorKeys(ctx context.Context, getenv func(string) string,
	read secret.Reader) (keys [][]byte, err error) {
	text := getenv(envCursorKey)
	if arn := getenv(config.EnvCursorSecret); text == "" && arn != "" {
		if text, err = read(ctx, arn); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(text) == "" && getenv(config.EnvEndpoint) != "" &&
		getenv(config.EnvCursorSecret) == "" {
		return [][]byte{[]byte(localCursorKey)}, nil
	}
	return secret.Texts(text, errCursorKey)
}
