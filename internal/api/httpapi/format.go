package httpapi

import (
	"bytes"
	"fmt"
	"mime"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
)

// ProblemNotAcceptable is the problem of a request for a format that the result does not have.
var ProblemNotAcceptable = ProblemType{
	URI: "/problems/not-acceptable", Title: "The response has no accepted format", Status: 406,
}

// chooseFormat returns the format that an Accept header selects: the one with the highest
// weight, or the first of several with the same. Without a header it is JSON.
func chooseFormat(accept string, result any) (views.Format, *Problem) {
	if strings.TrimSpace(accept) == "" {
		return views.FormatJSON, nil
	}
	var best views.Format
	weight := 0.0
	for _, f := range views.Formats {
		if q := acceptWeight(accept, f.Type); f.Supports(result) && q > weight {
			best, weight = f, q
		}
	}
	if weight == 0 {
		return views.FormatJSON,
			ProblemNotAcceptable.New("Accept is %s: want %s", clip(accept), formatNames(result))
	}
	return best, nil
}

func formatNames(result any) string {
	var names []string
	for _, f := range views.Formats {
		if f.Supports(result) {
			names = append(names, f.Type)
		}
	}
	return strings.Join(names, ", ")
}

// acceptWeight returns the weight of a media type in an Accept header, 0 to 1. It is the weight of
// the most specific range that includes the type.
func acceptWeight(accept, mediaType string) (weight float64) {
	specificity := -1
	family, _, _ := strings.Cut(mediaType, "/")
	for _, part := range strings.Split(accept, ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		at := -1
		switch name {
		case mediaType:
			at = 2
		case family + "/*":
			at = 1
		case "*/*":
			at = 0
		}
		if at > specificity {
			specificity, weight = at, quality(params["q"])
		}
	}
	return weight
}

// quality parses a weight. A missing or invalid weight is 1.
func quality(text string) float64 {
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || q < 0 || q > 1 {
		return 1
	}
	return q
}

// encode returns a result in a format.
func encode(f views.Format, result any) ([]byte, error) {
	var body bytes.Buffer
	if err := f.Write(&body, result); err != nil {
		return nil, fmt.Errorf("encode the response as %s: %w", f.Type, err)
	}
	return body.Bytes(), nil
}
