package web

import (
	_ "embed"
	"encoding/json"
	"net/http"

	"github.com/tactusgo/tactus/systems/rooms"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the OpenAPI 3.1 document of a [Handler]. The caller may change the bytes.
func OpenAPI() []byte { return append([]byte(nil), openAPI...) }

// serveOpenAPI serves GET /rooms/openapi.json.
func serveOpenAPI(_ *Handler, _ http.ResponseWriter, _ *http.Request, _ rooms.Player) (int, any, error) {
	return http.StatusOK, json.RawMessage(openAPI), nil
}
