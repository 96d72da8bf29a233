package main

import "encoding/json"

// sealCursor returns the cursor of the next page, signed for the list that scope
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
// request has none.
func openCursor[T any](h *Handler, args params, scope []string) (after T, err error) {
	position, err := h.Query.OpenCursor(args.text("cursor"), scope...)
	if err != nil || position == nil {
		return after, err
	}
	return after, json.Unmarshal(position, &after)
}
