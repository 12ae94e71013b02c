package browser

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"syscall/js"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/host"
)

// errLeft is the error of a session that the player has left.
var errLeft = errors.New("you have left the room")

// seat is a seat in a room, the value of the flag -token. A token serves one session. After it, the page requests another
// token for the seat, or shows its lobby.
type seat struct {
	token  *netcode.ConnectToken // nil: there are no rooms
	leaves bool                  // the player has pressed leave on the page
	over   bool
}

// String implements [flag.Value]. A token is a secret.
func (s *seat) String() string { return "" }

// Set implements [flag.Value].
func (s *seat) Set(text string) error {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("this is not a connect token in base64: %w", err)
	}
	s.token, err = netcode.ParseToken(b)
	return err
}

// listen leaves the room when the page dispatches "leave".
func (s *seat) listen() {
	if s.token == nil {
		return
	}
	js.Global().Get("document").Call("addEventListener", "leave", js.FuncOf(func(js.Value, []js.Value) any {
		s.leaves = true
		return nil
	}))
}

// end reports the end of the session to the page.
func (s *seat) end(why error) {
	if s.token != nil && !s.over {
		s.over = true
		Ended(why)
	}
}

// Players reports the number of players in the room to a page with a lobby. Call it after each change.
func Players(n int) { dispatchEvent("players", strconv.Itoa(n)) }

// Ended reports the end of the session on a seat to a page with a lobby: a sentence for the player, and whether the page
// may request the seat again.
func Ended(why error) {
	again := why == errLeft || netsys.MayReconnect(why) || host.ReasonOf(why) == host.Rooms+4 // the room was recreated elsewhere
	dispatchEvent("ended", map[string]any{"text": host.Explain(why), "again": again})
}

// dispatchEvent dispatches an event to the document.
func dispatchEvent(kind string, detail any) {
	event := js.Global().Get("CustomEvent").New(kind, map[string]any{"detail": detail})
	js.Global().Get("document").Call("dispatchEvent", event)
}
