package rooms

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Player is a player who wants a seat, authenticated by the game.
type Player struct {
	// ID identifies the player, never 0.
	ID uint64
	// Party identifies the group of players who came together, 0 for none.
	Party uint64
	// Data is for the room's game, which gets it by [SeatOf]: at most [MaxData] bytes. The player cannot read it.
	Data []byte
	// Carried is sent to the room from server to server, for [Room.Carried]: at most [MaxCarried] bytes.
	Carried []byte
}

// MaxCarried is the longest [Player].Carried in bytes.
const MaxCarried = 16 << 10

// Admission lets one player take a seat.
type Admission struct {
	// Kind is the kind of the room, Schema the [SchemaOf] of its protocol.
	Kind, Schema string
	// Code is the code of the room, for the player to share.
	Code string
	// Process is the name of the room's process.
	Process string
	// Seat is the seat.
	Seat Seat
	// Loaded is [Room.Loaded]. A player who returns has lost the ticks from there to systems.Client.ServerTick of its earlier
	// client.
	Loaded uint32
	// Token is for systems.ClientConfig.Session.Token, once. Whoever has the token can play as this player.
	Token *netcode.ConnectToken
	// Spectator means that the token is for a spectator: set systems.ClientConfig.Spectate. See [Room.Spectate].
	Spectator bool
	// Expires is when the token expires.
	Expires time.Time
	// Addresses are the addresses of the room's process.
	Addresses []netip.AddrPort
	// Endpoints are the endpoints of the room's process, for browsers.
	Endpoints Endpoints
}

// Format implements [fmt.Formatter] without printing the keys of the token.
func (a Admission) Format(f fmt.State, verb rune) {
	type printed Admission // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(a))
}

// check returns an error that wraps ErrPlayer.
func check(who []Player) error {
	if len(who) == 0 {
		return fmt.Errorf("%w: nobody wants a seat", ErrPlayer)
	}
	for _, p := range who {
		if p.ID == 0 || len(p.Data) > MaxData || len(p.Carried) > MaxCarried {
			return fmt.Errorf("%w: id %d, data of %d bytes, %d bytes carried; ids are not 0, data has %d bytes at most, and %d are carried",
				ErrPlayer, p.ID, len(p.Data), len(p.Carried), MaxData, MaxCarried)
		}
	}
	return nil
}

// Reserve promises each player a seat for [Config].Promise, or none of them. A seat whose token is not used by then is free again. A
// player whose token is unused gets another one for the same seat, and the earlier one becomes invalid. The error wraps [ErrFull],
// [ErrLocked], [ErrDraining], [ErrEnded], [ErrStuck], [ErrBanned], [ErrSeated] or [ErrPlayer].
func (r *Room) Reserve(who ...Player) ([]Admission, error) {
	all, err := r.reserveSeats(who)
	count(r.counter(), len(who), err)
	return all, err
}

// counter returns the counter of the room's kind.
func (r *Room) counter() *counter { return r.server.counts[r.kind.Name] }

// count counts players who asked for seats.
func count(c *counter, players int, err error) {
	if err != nil {
		c.addRefused(players, Refusal(err))
		return
	}
	c.addGiven(players)
}

// admits returns an error if the room gives no new seats. The caller holds the room's lock.
func (r *Room) admits() error {
	if err := r.held.life.admits(); err != nil {
		return err
	}
	if r.orphaned() {
		return ErrOrphaned
	}
	return nil
}

// reserveSeats does what Reserve does, without counting it.
func (r *Room) reserveSeats(who []Player) ([]Admission, error) {
	if err := check(who); err != nil {
		return nil, err
	}
	if err := r.server.mayAdmit(); err != nil {
		return nil, err
	}
	if r.watch.stuck.Load() != 0 {
		return nil, ErrStuck
	}
	wanted := make([]claimant, len(who))
	for i, p := range who {
		wanted[i] = claimant{player: p.ID, party: p.Party}
	}
	now := r.server.config.Now()
	until := r.server.config.until(now)
	r.mu.Lock()
	err := r.admits()
	fresh := make([]bool, len(who)) // players without a seat: data that was carried to an earlier one is not theirs
	for i, p := range who {
		fresh[i] = !r.held.book.unused(p.ID)
	}
	if (errors.Is(err, ErrLocked) || errors.Is(err, ErrDraining)) && !slices.Contains(fresh, true) {
		err = nil
	}
	var promises []seatPromise
	if err == nil {
		promises, err = r.held.book.reserve(now, until, make([]seatPromise, 0, len(who)), wanted...)
	}
	if err == nil {
		r.held.life.empty = time.Time{}
		for i, p := range promises {
			if fresh[i] {
				delete(r.held.carried, who[i].ID)
			}
			r.held.carry(p, who[i])
		}
	}
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	all := make([]Admission, len(who))
	for i, p := range who {
		if all[i], err = r.issueToken(now, until, p, promises[i]); err != nil {
			return nil, err
		}
	}
	r.changed()
	for _, p := range who {
		r.server.releaseSeats(p.ID)
	}
	return all, nil
}

// Reconnect returns another token for the seat of a player, connected or not, and invalidates earlier tokens. Data that was carried
// to the seat stays unless the player carries new data. It works in locked rooms, too. The error wraps [ErrNoSeat], [ErrEnded] or
// [ErrPlayer].
func (r *Room) Reconnect(who Player) (Admission, error) {
	a, err := r.renewSeat(who)
	if err != nil {
		count(r.counter(), 1, err)
	} else {
		r.counter().addReturned()
	}
	return a, err
}

// renewSeat does what Reconnect does, without counting it.
func (r *Room) renewSeat(who Player) (Admission, error) {
	if err := check([]Player{who}); err != nil {
		return Admission{}, err
	}
	now := r.server.config.Now()
	until := r.server.config.until(now)
	r.mu.Lock()
	var p seatPromise
	var seat bookSeat
	err := error(ErrEnded)
	switch {
	case r.handing.Load():
		err = ErrOrphaned
	case r.held.life.state() != Ended:
		p, seat, err = r.held.book.renew(until, who.ID)
	}
	if err == nil {
		who.Party = seat.party
		r.held.carry(p, who)
	}
	r.mu.Unlock()
	if err != nil {
		return Admission{}, err
	}
	return r.issueToken(now, until, who, p)
}

// carried is the data that a player carries to a seat.
type carried struct {
	epoch uint32 // valid from this epoch of the seat on
	bytes []byte
}

// carry keeps the data that a player carries to its seat.
func (h *held) carry(p seatPromise, who Player) {
	if who.Carried == nil {
		return
	}
	if h.carried == nil {
		h.carried = make(map[uint64]carried)
	}
	h.carried[who.ID] = carried{epoch: p.epoch, bytes: bytes.Clone(who.Carried)}
}

// Carried returns the data that the player of a seat carried ([Player].Carried), once. It returns nil if there is none, and for the
// seat of a player who has lost or replaced it. Use the seat of [Kind].Joined or [SeatOf].
func (r *Room) Carried(s Seat) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.held.carried[s.Player]
	if number, _, has := r.held.book.seatOf(s.Player); !ok || !has || number != s.Number || s.Room != r.about.id || s.Epoch < c.epoch {
		return nil
	}
	delete(r.held.carried, s.Player)
	return c.bytes
}

// until returns when a token expires that is issued now, in whole seconds of the wall clock. The result has the monotonic clock of
// now, so that a promise lasts as long when the wall clock is set.
func (c *Config) until(now time.Time) time.Time {
	return now.Add(c.Promise - time.Duration(now.Nanosecond()))
}

// issueToken returns the admission of a promise, with its token.
func (r *Room) issueToken(now, until time.Time, p Player, promise seatPromise) (Admission, error) {
	c := &r.server.config
	a := Admission{
		Kind: r.kind.Name, Schema: r.kind.schema, Code: r.about.code, Process: c.Process, Expires: until, Addresses: slices.Clone(c.Addresses), Endpoints: c.Endpoints,
		Loaded: r.loaded,
		Seat:   Seat{Room: r.about.id, Number: promise.number, Epoch: promise.epoch, Player: p.ID, Party: p.Party, Data: p.Data},
	}
	if err := a.Issue(c.Key, c.ProtocolID, c.Promise, now, r.server.random); err != nil {
		return Admission{}, err
	}
	if a.Spectator = r.spectates(a.Seat); !a.Spectator {
		r.server.seated(a.Seat.Player, r.about.id)
	}
	return a, nil
}

// Issue sets the token of an admission that another process with the same key has given. Seat and Addresses must be set. The token
// expires after the lifetime, counted from now. Random may be nil: crypto/rand. The error wraps [ErrConfig].
func (a *Admission) Issue(key netcode.Key, protocolID uint64, lifetime time.Duration, now time.Time, random func([]byte)) error {
	token, err := netcode.TokenConfig{
		Key: key, ProtocolID: protocolID, ClientID: a.Seat.Player, Servers: a.Addresses, Lifetime: lifetime,
		Timeout:  -time.Second, // sessions have their own
		UserData: a.Seat.Append(nil), Random: random,
	}.Issue(now)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	a.Token = token
	return nil
}

// freeSeatsFor returns how many seats the room has free for players who join a kind with these options. It returns 0 for a
// room of another kind or with other options, and for one that is private, is stuck or admits nobody.
func (r *Room) freeSeatsFor(k *Kind, wanted Options) int {
	if r.kind != k || r.about.private || r.watch.stuck.Load() != 0 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.admits() != nil || !r.held.life.options.Has(wanted) {
		return 0
	}
	return r.held.book.free()
}
