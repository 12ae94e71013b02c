package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// maxPlayers is the largest number of players in a request.
	maxPlayers = 512
	// maxText is the longest name in a reply, maxReason the longest reason.
	maxText, maxReason = 64, 80
	// maxAddresses is the largest number of addresses in a token.
	maxAddresses = 32
)

// Operations of a request.
const (
	opJoin      = "join"      // seats in an open room of a kind, or in a new one
	opRenew     = "renew"     // other tokens for the seats that the players have in a room of a kind
	opCreate    = "create"    // a room, and seats in it
	opReserve   = "reserve"   // seats in a room
	opReconnect = "reconnect" // another token for a seat
	opSpectate  = "spectate"  // a place for a spectator of a room
	opHandOver  = "handover"  // seats in a room of the asking process, which the answering process is to continue
)

// refusedEpoch is the refusal of a request to the process under another claim.
const refusedEpoch = "epoch"

// seatRequest requests seats from a process.
type seatRequest struct {
	// Epoch is the epoch of the receiving process. A process with another epoch refuses.
	Epoch   uint64        `json:"epoch"`
	Op      string        `json:"op"`
	Kind    string        `json:"kind,omitempty"`
	Options rooms.Options `json:"options,omitempty"`
	Private bool          `json:"private,omitempty"`
	Schema  string        `json:"schema,omitempty"`
	Room    uint64        `json:"room,omitempty,string"`
	// Leaves is the room that joining players leave.
	Leaves uint64 `json:"leaves,omitempty,string"`
	// Away leaves out the seats of connected players.
	Away bool `json:"away,omitempty"`
	// Claim means that the room's process is dead and the receiving process is to claim the room.
	Claim bool `json:"claim,omitempty"`
	// Giver is the process that hands over the room, RoomEpoch the epoch of the room, and Tick that of its save.
	Giver     owner              `json:"giver,omitzero"`
	RoomEpoch uint64             `json:"room_epoch,omitempty"`
	Tick      uint32             `json:"tick,omitempty"`
	Players   []requestingPlayer `json:"players"`
}

// requestingPlayer is a player who wants a seat.
type requestingPlayer struct {
	ID      uint64 `json:"id,string"`
	Party   uint64 `json:"party,omitempty,string"`
	Data    []byte `json:"data,omitempty"`
	Carried []byte `json:"carried,omitempty"`
}

// seatReply is the reply to a request.
type seatReply struct {
	// Refused is the name of the reason if there are no seats, otherwise "". Reason is the reason in words.
	Refused string        `json:"refused,omitempty"`
	Reason  string        `json:"why,omitempty"`
	Room    uint64        `json:"room,omitempty,string"`
	Kind    string        `json:"kind,omitempty"`
	Schema  string        `json:"schema,omitempty"`
	Code    string        `json:"code,omitempty"`
	Loaded  uint32        `json:"loaded,omitempty"`
	Seats   []grantedSeat `json:"seats,omitempty"` // in the order of the players
	// Issued and Expires are the times of the tokens, in seconds since 1970 by the clock of the giving process.
	Issued    int64            `json:"issued,omitempty"`
	Expires   int64            `json:"expires,omitempty"`
	Addresses []netip.AddrPort `json:"addresses,omitempty"`
	Endpoints rooms.Endpoints  `json:"endpoints,omitzero"`
}

// grantedSeat is a given seat.
type grantedSeat struct {
	Number uint16 `json:"n"`
	Epoch  uint32 `json:"e"`
	Party  uint64 `json:"p,omitempty,string"`
}

// errMessage is wrapped by errors about invalid requests and replies.
var errMessage = errors.New("fleet: not a request for seats, or not a reply to it")

// requestAddress returns the address of a process under one claim.
func requestAddress(process string, epoch uint64) string {
	return process + "." + strconv.FormatUint(epoch, 10)
}

// parseRequest parses a request. The server checks kinds, options and players.
func parseRequest(b []byte) (q seatRequest, err error) {
	if err := json.Unmarshal(b, &q); err != nil {
		return q, fmt.Errorf("%w: %w", errMessage, err)
	}
	if len(q.Players) > maxPlayers {
		return q, fmt.Errorf("%w: %d players", errMessage, len(q.Players))
	}
	return q, nil
}

// parseReply parses the reply to a request.
func parseReply(b []byte, q *seatRequest) (a seatReply, err error) {
	if err := json.Unmarshal(b, &a); err != nil {
		return a, fmt.Errorf("%w: %w", errMessage, err)
	}
	switch {
	case len(a.Refused) > maxText || len(a.Reason) > 3*maxReason || len(a.Kind) > maxText || len(a.Schema) > maxText || len(a.Code) > maxText:
		return a, fmt.Errorf("%w: long texts", errMessage)
	case a.Refused != "":
		return a, nil
	case len(a.Seats) != len(q.Players):
		return a, fmt.Errorf("%w: %d seats for %d players", errMessage, len(a.Seats), len(q.Players))
	case a.Room == 0 || q.Room != 0 && a.Room != q.Room:
		return a, fmt.Errorf("%w: room %d, asked for %d", errMessage, a.Room, q.Room)
	case a.Expires <= a.Issued || a.Expires-a.Issued > 3600:
		return a, fmt.Errorf("%w: tokens from %d to %d", errMessage, a.Issued, a.Expires)
	case len(a.Addresses) > maxAddresses:
		return a, fmt.Errorf("%w: %d addresses", errMessage, len(a.Addresses))
	}
	if a.Endpoints.Validate() != nil {
		a.Endpoints = rooms.Endpoints{}
	}
	return a, nil
}

// refusedErrors are the errors named in replies, besides those of rooms.Refusal.
var refusedErrors = map[string]error{
	"full": rooms.ErrFull, "locked": rooms.ErrLocked, "banned": rooms.ErrBanned, "seated": rooms.ErrSeated, "no_seat": rooms.ErrNoSeat,
	"ended": rooms.ErrEnded, "draining": rooms.ErrDraining, "stuck": rooms.ErrStuck, "rooms": rooms.ErrRooms, "room": rooms.ErrRoom,
	"kind": rooms.ErrKind, "schema": rooms.ErrSchema, "options": rooms.ErrOptions, "player": rooms.ErrPlayer,
	"spectators": rooms.ErrSpectators, "no_spectators": rooms.ErrNoSpectators,
	"orphaned": rooms.ErrOrphaned, "save": rooms.ErrSave, "owned": ErrOwned, "conflict": ErrConflict, refusedEpoch: errEpoch,
}

// refusalName names an error for a reply.
func refusalName(err error) string {
	switch {
	case errors.Is(err, ErrOwned):
		return "owned"
	case errors.Is(err, ErrConflict):
		return "conflict"
	}
	return rooms.Refusal(err)
}

// err returns the error of a refusal, nil if there are seats.
func (a *seatReply) err() error {
	switch err := refusedErrors[a.Refused]; {
	case a.Refused == "":
		return nil
	case a.Refused == refusedEpoch:
		return &rooms.Unavailable{Again: time.Second, Err: errEpoch}
	case errors.Is(err, rooms.ErrSave):
		return &rooms.Unavailable{Again: 10 * time.Second, Err: fmt.Errorf("%w, the process answered: %q", err, a.Reason)}
	case err != nil:
		return fmt.Errorf("%w, the process answered: %q", err, a.Reason)
	}
	return &rooms.Unavailable{Again: time.Second, Err: fmt.Errorf("fleet: the process refused, %.20q: %q", a.Refused, a.Reason)}
}
