package collector

import (
	"maps"
	"net/http"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var (
	noContent = httpapi.Response{Status: http.StatusNoContent}
	accepted  = httpapi.Response{Status: http.StatusAccepted,
		Headers: map[string]string{"Content-Type": "text/plain"}, Body: "ok"}
)

// naming returns a response with the number of the parts of a hit that are not stored as they were sent.
func naming(response httpapi.Response, dropped []model.FieldError) httpapi.Response {
	if len(dropped) == 0 {
		return response
	}
	return withHeader(response, httpapi.HeaderNotStored, strconv.Itoa(len(dropped)))
}

// excluding returns a response that says why a hit is not stored.
func excluding(response httpapi.Response, why Exclusion) httpapi.Response {
	return withHeader(response, headerExcluded, string(why))
}

// headerExcluded says why nothing is stored of a hit that tidemark.yaml excludes.
const headerExcluded = "Tidemark-Excluded"

func withHeader(response httpapi.Response, name, value string) httpapi.Response {
	headers := map[string]string{name: value}
	maps.Copy(headers, response.Headers)
	response.Headers = headers
	return response
}

// withCORS allows pages of any origin to read the response. It contains nothing that the page
// did not send, and no cookies are used.
func withCORS(response httpapi.Response) httpapi.Response {
	headers := map[string]string{"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
	maps.Copy(headers, response.Headers)
	response.Headers = headers
	return response
}
