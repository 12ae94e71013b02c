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

// errLeft is why there is no session any more when the player has gone.
var errLeft = errors.New("you have left the room")

// seat is a seat in a room, the flag -token. Its token is used once: with the session the game is over, and the page gets
// another one for the seat, or shows its lobby.
type seat struct {
	token  *netcode.ConnectToken // nil: there are no rooms
	leaves bool                  // the page says that the player goes
	over   bool
}

// String implements [flag.Value]. A token is a secret.
func (s *seat) String() string { return "" }

// Set implements [flag.Value].
func (s *seat) Set(text string) error {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("no connect token in base64: %w", err)
	}
	s.token, err = netcode.ParseToken(b)
	return err
}

// listen has the player leave when the page says so.
func (s *seat) listen() {
	if s.token == nil {
		return
	}
	js.Global().Get("document").Call("addEventListener", "leave", js.FuncOf(func(js.Value, []js.Value) any {
		s.leaves = true
		return nil
	}))
}

// end tells the page that the session has ended.
func (s *seat) end(why error) {
	if s.token != nil && !s.over {
		s.over = true
		Ended(why)
	}
}

// Players tells a page with a lobby how many play in the room, to show it beside the code. Call it when that changes.
func Players(n int) { tell("players", strconv.Itoa(n)) }

// Ended tells a page with a lobby that the session on its seat has ended: a sentence for the player, and whether the page may
// ask for the seat again.
func Ended(why error) {
	again := why == errLeft || netsys.MayReconnect(why) || host.ReasonOf(why) == host.Rooms+4 // made anew elsewhere
	tell("ended", map[string]any{"text": host.Explain(why), "again": again})
}

// tell dispatches an event to the document.
func tell(kind string, detail any) {
	event := js.Global().Get("CustomEvent").New(kind, map[string]any{"detail": detail})
	js.Global().Get("document").Call("dispatchEvent", event)
}
