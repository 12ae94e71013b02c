package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Lobby is what a page needs on which players choose rooms. Such a page has the client play on a seat: the client gets
// -connect with the endpoint of the seat, and -token with its connect token in base64, and ends with its session. It
// dispatches these events to the document: "players", with how many play as the text of its detail, and "ended", whose detail has why as text, and again, which says
// whether to ask for the seat once more;
// and it says goodbye when the document is sent "leave". With Config.Page it is the game's own page that asks for seats.
type Lobby struct {
	// Rooms answers /rooms and what is below: the Handler of systems/rooms/web is one. It must be there.
	Rooms http.Handler
	// Kind is the kind of the rooms that players create, and are matched in. It must be there.
	Kind string
	// Schema is rooms.SchemaOf the client's protocol: a page that was opened before a newer server came is told so. "": it
	// is not compared before the client connects.
	Schema string
	// Sockets are the WebSockets that endpoints of seats name, such as ws://127.0.0.1:7778, beside Config.Port on the host
	// that the page came from: the policy of the page lets it connect to these alone.
	Sockets []string
}

// check panics where a lobby cannot be served.
func (l *Lobby) check() {
	switch {
	case l == nil:
	case l.Rooms == nil || l.Kind == "":
		panic("web.New: Config.Lobby needs Rooms, the handler of systems/rooms/web, and Kind, the kind of its rooms")
	default:
		for _, at := range l.Sockets {
			if u, err := url.Parse(at); err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" || strings.ContainsAny(at, " ;,") {
				panic(fmt.Sprintf("web.New: Config.Lobby.Sockets has %q: write a URL such as wss://play.example", at))
			}
		}
	}
}

// settings are what the page is told of the rooms.
func (l *Lobby) settings() (kind, schema string) {
	if l == nil {
		return "", ""
	}
	return l.Kind, l.Schema
}

// answers reports whether a request is for the rooms.
func (l *Lobby) answers(path string) bool {
	return l != nil && (path == "/rooms" || strings.HasPrefix(path, "/rooms/"))
}

// sources are where the page may connect besides, with a space before each.
func (l *Lobby) sources() (all string) {
	if l == nil {
		return ""
	}
	for _, at := range l.Sockets {
		u, err := url.Parse(at)
		if err == nil {
			all += " " + u.Scheme + "://" + u.Host
		}
	}
	return all
}
