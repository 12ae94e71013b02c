package web

import (
	_ "embed"
	"encoding/json"
	"net/http"

	"github.com/tactusgo/tactus/systems/rooms"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI is the document that describes what a [Handler] answers to, version 3.1. The bytes are the caller's.
func OpenAPI() []byte { return append([]byte(nil), openAPI...) }

// serveOpenAPI answers with it.
func serveOpenAPI(_ *Handler, _ http.ResponseWriter, _ *http.Request, _ rooms.Player) (int, any, error) {
	return http.StatusOK, json.RawMessage(openAPI), nil
}
