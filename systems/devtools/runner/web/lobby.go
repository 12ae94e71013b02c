package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Lobby configures a page on which players choose rooms. The page starts the client for one session on a seat, with the
// arguments -connect, the endpoint of the seat, and -token, its connect token in base64.
//
// The client dispatches these events to the document: "players", with the number of players as the text of its detail, and
// "ended", whose detail has the reason as text, and again, which tells the page whether to request the seat again. The
// client leaves when the document receives the event "leave". A custom page, Config.Page, must request seats itself.
type Lobby struct {
	// Rooms handles /rooms and the paths below: see the Handler of systems/rooms/web. Required.
	Rooms http.Handler
	// Kind is the kind of the rooms that players create and are matched into. Required.
	Kind string
	// Schema is rooms.SchemaOf the client's protocol. It lets the page detect that a newer server has replaced the one that
	// it was loaded from. Default (""): only the client compares protocols when it connects.
	Schema string
	// Sockets are the WebSocket URLs in the endpoints of seats, such as ws://127.0.0.1:7778, in addition to Config.Port on
	// the host of the page. The policy of the page allows connections to these only.
	Sockets []string
}

// check panics if the lobby is invalid.
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

// settings returns the page's settings of the rooms.
func (l *Lobby) settings() (kind, schema string) {
	if l == nil {
		return "", ""
	}
	return l.Kind, l.Schema
}

// answers reports whether a path belongs to the rooms.
func (l *Lobby) answers(path string) bool {
	return l != nil && (path == "/rooms" || strings.HasPrefix(path, "/rooms/"))
}

// sources returns additional origins that the page may connect to, each preceded by a space.
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
