package web

import (
	"context"
	"io"
	"net"
	"net/http"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Config configures a [Site], or with [Beside] the page of a world.
type Config struct {
	// Package is the folder of the client's main package, such as examples/arena/wasm, relative to the root of a module around
	// the working directory. It may have its own go.mod. Default (""): Dist is the only page.
	Package string
	// Args are the client's arguments, before -connect and the server's address.
	Args []string
	// Title is the title of the page. Default (""): with [Beside] the name of the world, otherwise Package.
	Title string
	// Rules is a sentence on the page about the goal of the game. Default (""): none.
	Rules string
	// Keys describes the keys on the page: {"W A S D", "move"}. Default (nil): no description.
	Keys [][2]string
	// Touch describes the controls on touch screens. Default (""): the text of Keys.
	Touch string
	// Page is the HTML of a custom page, with its scripts and styles inline. Attributes such as style and onclick are not
	// allowed. It needs an element <script src="start.js">, which starts the client and shows the progress in an element with
	// the id status. If the page has a form with the id join, the client starts when the form is submitted, and the fields of
	// the form become arguments: -NAME VALUE. Default (""): the page of this package, with Title, Rules, Keys and Touch.
	Page string
	// Lobby serves rooms to Dist or Page. Default (nil): there is one match.
	Lobby *Lobby
	// Operator opens the operator page of rooms, for -rooms with -inspect: see operator.Open. Default (nil): -inspect is refused
	// with -rooms.
	Operator func(s *rooms.Server, broadcast func(r *rooms.Room, text string) error, out io.Writer) (OperatorPage, error)
	// Domain is Public.Domain of -domain.
	Domain DomainConfig
	// WebTransport is [Public].WebTransport, for the match and for rooms. It needs Dist.
	WebTransport func(WebTransportConfig) (WebTransportWire, error)
	// Dist is a page that a bundler built, in place of that of this package. It follows the build of the client in
	// build.json, and loads play.wasm and wasm_exec.js. Without Package, Dist brings its own client. Default (nil): none.
	Dist *Dist
	// GamePort is the port of [Beside] for UDP. WebSockets use the next port, and the page uses GamePort+3. If a port is
	// taken, Beside uses a free one. 0: free ports.
	GamePort uint16

	// Dir is the folder of a built client: play.wasm and wasm_exec.js. The flag -web of [Beside] sets it. Default (""):
	// build the client from Package.
	Dir string
	// Cache is the folder for built clients. Default (""): a folder in the user's cache.
	Cache string
	// Port is the TCP port of the game's WebSockets on the host of the page. [Beside] sets it.
	Port uint16
	// Hosts are the allowed host names of the site, without ports, in addition to localhost and IP addresses. Anyone who
	// controls the DNS of such a name can impersonate the site. The flag -names of [Beside] sets them.
	Hosts []string
	// Embed lists the sites that may show the page in a frame, as scheme://host or scheme://host:port, such as
	// https://portal.example or https://*.portal.example; "*" allows every site. Give rooms/web.Config.Embed the same list.
	//
	// The additional entry "null" is for a frame whose sandbox lacks allow-same-origin. The origin of the page in such a frame is
	// "null", as it is for any page that another site puts in one. With this entry, any site can make the browsers of its
	// visitors read the files of the page and, if the game's listener has Sandboxed set, open sockets. If players need connect
	// tokens, that gains the site nothing. Without tokens it can play on this server from each such browser.
	//
	// The flag -embed of [Beside] sets the list and the listener. Default (nil): no site.
	Embed []string
	// Progress receives progress messages, one line at a time. [Beside] shows them below the table. Default (nil): none.
	Progress io.Writer
}

// alone reports whether Dist brings its own client.
func (c *Config) alone() bool { return c.Dist != nil && c.Package == "" && c.Dir == "" }

// OperatorPage is the page of a running server with rooms: see package operator.
type OperatorPage interface {
	// Allows returns an error if other machines can reach the address and there is no token.
	Allows(address net.Addr) error
	// Serve serves the page until ctx ends.
	Serve(ctx context.Context, l net.Listener) error
	// Told receives what rooms report.
	Told(n rooms.Notice)
}

// Lobby serves the rooms of a page that requests seats from them: Config.Dist or Config.Page. Both find Kind and Schema in
// play.json. The client plays on a seat with the arguments -connect, the endpoint of the seat, and -token, its connect token
// in base64.
type Lobby struct {
	// Rooms handles /rooms and the paths below: see the Handler of systems/rooms/web. Required.
	Rooms http.Handler
	// Kind is the kind of the rooms that players create and are matched into. Required.
	Kind string
	// Schema is rooms.SchemaOf the client's protocol. It lets the page detect that a newer server has replaced the one that
	// it was loaded from. Default (""): only the client compares protocols when it connects.
	Schema string
}
