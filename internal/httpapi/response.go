package httpapi

import "encoding/json"

// Response is a response of the HTTP API, independent of the gateway that sends it.
type Response struct {
	Status  int
	Headers map[string]string
	Body    string
	Base64  bool // Body is base64
}

// JSON returns a response with a JSON body.
func JSON(status int, body any) Response {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = 500, []byte(`{"type":"/problems/internal","title":"The service failed","status":500}`)
	}
	return Response{Status: status, Headers: map[string]string{"Content-Type": "application/json"}, Body: string(text)}
}
