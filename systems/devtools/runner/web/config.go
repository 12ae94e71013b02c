package web

import "io"

// Config configures a [Site], or with [Beside] the page of a world.
type Config struct {
	// Package is the folder of the client's main package, from the root of a module around the working directory,
	// such as examples/play. It may have a go.mod of its own. "": Dist is the page, and the only one.
	Package string
	// Args are the client's arguments, before -connect and the server's address.
	Args []string
	// Title is what the page is called. "" is the world's name with [Beside], and Package without.
	Title string
	// Rules say on the page in a sentence what players try to do. "": nothing is said.
	Rules string
	// Nameless has the page not ask players for a name, as where the game shows none.
	Nameless bool
	// Keys say on the page what one presses, and what that does: {"W A S D", "move"}. nil: nothing is said.
	Keys [][2]string
	// Touch says it where there are fingers instead. "": Keys stand there too.
	Touch string
	// Page is the HTML of a page that the game has itself, of one file: its scripts and styles stand in it. It
	// has an element <script src="/start.js">, which starts the client as soon as it is ready, and shows in an
	// element with the id status how far that is. Attributes such as style and onclick are not allowed. "": the
	// page that comes with this package, on which players say their names.
	Page string
	// Window is the command that plays in a window, without the server's address, which comes behind it: [Beside]
	// prints it. "": nothing is printed.
	Window string
	// Lobby makes the page a lobby of rooms, in place of the way into one match. nil: there is one match.
	Lobby *Lobby
	// Dist is a second page for the same match, which something else draws: the page links to it, and says so where it
	// is not built. Without a Package it is the page itself, its Path is "". nil: there is none.
	Dist *Dist
	// Others are other games that the page names, each with the command that starts it. nil: none.
	Others []Other
	// GamePort is where [Beside] listens: for UDP at this port, for WebSockets at the next one, and the page is at
	// three more; where these are taken, at free ones. 0: free ones.
	GamePort uint16

	// Dir holds a client that was built before: play.wasm and wasm_exec.js. "" builds it from Package. With
	// [Beside] the flag -web says so.
	Dir string
	// Cache is where built clients are kept. "" is a folder in the user's cache.
	Cache string
	// Port is the TCP port of the game's WebSockets, on the host that the page came from. With [Beside] it is
	// what was listened on.
	Port uint16
	// Hosts are names that the site is known by, without ports, beside localhost and its addresses: whoever can
	// make one of them lead elsewhere can pose as the site. With [Beside] the flag -names says so.
	Hosts []string
	// Progress is told what is going on, a line at a time. nil: nobody. With [Beside] it is the table.
	Progress io.Writer
}

// alone reports whether Dist is the only page.
func (c *Config) alone() bool { return c.Dist != nil && c.Package == "" && c.Dir == "" }

// Other is another game, for Config.Others.
type Other struct {
	// Name is what the page calls it.
	Name string
	// Command starts it.
	Command string
}
