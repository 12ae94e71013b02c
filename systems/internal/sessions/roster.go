package sessions

import (
	"errors"
	"iter"
	"time"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/roll"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/notice"
)

// MaxMessages is the maximum number of messages of one client that a server reads per wake-up: as many as a correct
// client sends in four seconds at 60 ticks per second.
const MaxMessages = 256

// MaxMalformed is the number of malformed messages after which a session is closed: as many as a server reads in
// four wake-ups.
const MaxMalformed = 4 * MaxMessages

// Config holds the limits of sessions.
type Config struct {
	// MaxClients is the maximum number of players, with their reservations unless Admission assigns the seats.
	// MaxSpectators is that of spectators.
	MaxClients, MaxSpectators int
	// Admitted returns the sessions that were admitted and have not entered yet. It may be nil.
	Admitted func() iter.Seq[netsys.Session]
	// MaxDelivered is the maximum number of messages of a client per wake-up on the game's channels.
	MaxDelivered int
	// Timeout is how long a client may acknowledge nothing.
	Timeout time.Duration
	// ReconnectWindow is how long a seat is reserved; 0: no reservations.
	ReconnectWindow time.Duration
	// Logger receives joins and leaves.
	Logger logging.Logger
	// Admission is called on joins and leaves. It may be nil.
	Admission AdmissionHandler
	// Now returns the time of this wake-up.
	Now func() time.Time
}

// Stats holds the counters of sessions.
type Stats struct {
	Malformed uint64 // authentic packets with a malformed message
	Flooded   uint64 // messages beyond the limits
	Returned  uint64 // players who returned to a reserved seat
	Deaf      uint64 // clients that were dropped because they acknowledged nothing
	Unsent    uint64 // packets that the session refused
	Untold    uint64 // notices that were dropped because there were too many
	BytesIn   uint64 // bytes of datagrams, with session overhead
	BytesOut  uint64

	DatagramsIn, DatagramsOut uint64
}

// add adds the counters of a client.
func (s *Stats) add(c *Client) {
	x := c.Session.Stats()
	s.Untold += c.Notices.Untold()
	s.Unsent += c.unsent
	s.BytesIn += x.BytesIn
	s.BytesOut += x.BytesOut
	s.DatagramsIn += x.DatagramsIn
	s.DatagramsOut += x.DatagramsOut
}

// Roster tracks connected clients, reservations, and players who have left.
type Roster struct {
	config   Config
	clients  roll.Roll[Client] // in joining order
	reserved []Reservation     // in the order of leaving
	gone     []uint32          // clients that have left for good and are not processed yet
	numbers  uint32            // number of assigned client numbers
	watchers uint32            // number of assigned numbers of spectators
	// Connected spectators and recorders, which are among the clients.
	spectators, recorders int
	returns               uint32 // handshakes of returning players
	polls                 uint32
	polled                time.Time
	stats                 Stats
}

// New returns an empty roster.
func New(c Config) *Roster {
	if c.Admission == nil {
		c.Admission = admitAll{}
	}
	return &Roster{config: c, clients: roll.New(func(c *Client) *int { return &c.index })}
}

// Stats returns the sum of the counters of all sessions, including ended ones.
func (r *Roster) Stats() Stats {
	st := r.stats
	for _, c := range r.clients.All() {
		st.add(c)
	}
	return st
}

// Enter adds a client whose session has started. A returning player keeps its number and receives its reservation.
// Enter returns nil if there is no number for the client.
func (r *Roster) Enter(session netsys.Session) (c *Client, kept Reservation, back bool) {
	id := uint32(session.ID())
	if session.Spectator() {
		c = newClient(session)
		r.clients.Add(c)
		r.spectators++
		r.config.Logger.Info("spectator joined", "client", id, "address", session.RemoteAddr())
		r.config.Admission.Entered(session, id)
		return c, kept, false
	}
	kept, back = r.claim(session.ClientID(), id)
	if !back && session.ID()>>numberBits != 0 {
		// Owners have 32 bits, and a number must not be reused, because entities of its first client may still
		// exist. Either all numbers are used up, or a returning player took longer than the reservation.
		session.Close(r.config.Now(), netsys.ReasonServerClosing)
		r.config.Logger.Error("client refused: no client number is left", "address", session.RemoteAddr())
		return nil, kept, false
	}
	c = newClient(session)
	r.clients.Add(c)
	word := "client joined"
	if back {
		r.stats.Returned++
		word = "client is back"
	}
	r.config.Logger.Info(word, "client", id, "address", session.RemoteAddr())
	r.config.Admission.Entered(session, id)
	return c, kept, back
}

// Record adds a recorder, which takes no place of a spectator.
func (r *Roster) Record(session netsys.Session) *Client {
	c := newClient(session)
	c.recorder = true
	r.clients.Add(c)
	r.recorders++
	return c
}

// Leave removes a client. input is its newest consumed input. The player's seat is reserved, or the player has left
// for good.
func (r *Roster) Leave(c *Client, reason error, input uint32) {
	r.clients.Remove(c)
	r.stats.add(c)
	if c.recorder {
		r.recorders--
		return
	}
	if c.Session.Spectator() {
		r.spectators--
		r.config.Admission.Left(c.Session, c.ID, reason, false)
		r.config.Logger.Info("spectator left", "client", c.ID, "reason", reason)
		return
	}
	waits := r.Waits(reason)
	r.config.Admission.Left(c.Session, c.ID, reason, waits)
	if waits {
		r.config.Logger.Info("client is gone; its seat is reserved", "client", c.ID, "reason", reason)
		r.reserve(c, input)
		return
	}
	r.config.Logger.Info("client left", "client", c.ID, "reason", reason)
	r.gone = append(r.gone, c.ID)
}

// Gone returns the clients that have left for good since ClearGone.
func (r *Roster) Gone() []uint32 { return r.gone }

// ClearGone clears the list of Gone after it was processed.
func (r *Roster) ClearGone() { r.gone = r.gone[:0] }

// Poll starts a wake-up, with new limits for each client.
func (r *Roster) Poll() { r.polls++ }

// counts holds the amounts that were read of a client in a wake-up.
type counts struct {
	polls     uint32 // number of the wake-up
	messages  int
	delivered int // messages of the game's channels
	commands  int
}

// startPoll resets the counts in a new wake-up.
func (c *counts) startPoll(polls uint32) {
	if c.polls != polls {
		*c = counts{polls: polls}
	}
}

// Polled is called after all arrived packets were processed. It ends expired reservations, and drops clients that
// send but have acknowledged nothing for the timeout.
func (r *Roster) Polled() {
	now, last := r.config.Now(), r.polled
	r.expire(now)
	if r.polled = now; last.IsZero() {
		return
	}
	passed := min(max(now.Sub(last), 0), time.Second) // a suspended process does not listen
	for _, c := range r.clients.All() {
		if !c.unacked {
			continue
		}
		if c.silence += passed; c.silence >= r.config.Timeout && !c.deaf {
			c.deaf = true
			r.stats.Deaf++
			r.config.Logger.Warn("client dropped: it acknowledges nothing", "client", c.ID, "for", c.silence)
			c.Session.Close(now, netsys.ReasonAway)
		}
	}
}

// Send sends a packet that the client acknowledges. It returns false if the session refuses the packet, and counts
// that unless the session has been closed. It may be called for several clients at the same time.
func (r *Roster) Send(c *Client, b []byte) (seq uint16, ok bool) {
	seq, err := c.Session.Send(r.config.Now(), b)
	if err != nil {
		if !errors.Is(err, netsys.ErrClosed) {
			c.unsent++
		}
		return 0, false
	}
	c.unacked = true
	return seq, true
}

// Read reports whether to read another message of a client in this wake-up; if not, call [Roster.Flooded]. It may
// be called for several clients at the same time.
func (r *Roster) Read(c *Client) bool {
	c.startPoll(r.polls)
	c.messages++
	return c.messages <= MaxMessages
}

// Deliver reports whether to process another channel message in this wake-up. It closes the session of a client
// that sends more than its queues hold, because reliable messages cannot be skipped.
func (r *Roster) Deliver(c *Client, number int) bool {
	c.startPoll(r.polls)
	n, most := &c.delivered, r.config.MaxDelivered
	if number == channel.Control {
		n, most = &c.commands, 2*channel.ControlQueue // a correct client has half of them unacknowledged
	}
	if *n++; *n > most {
		r.Flooded(c)
		c.Session.Close(r.config.Now(), netsys.ReasonProtocol)
		return false
	}
	return true
}

// Flooded counts a message that is not read.
func (r *Roster) Flooded(c *Client) {
	r.stats.Flooded++
	c.Flooded++
	if c.Logged.First(notice.Flooded) {
		r.config.Logger.Warn("message not read: there are too many; more from this client are only counted", "client", c.ID)
	}
}

// Refuse counts and logs a malformed message. It closes the session after MaxMalformed messages, and logs only the
// first.
func (r *Roster) Refuse(c *Client, err error) {
	if c.Malformed >= MaxMalformed {
		return // its session has ended
	}
	r.stats.Malformed++
	c.Malformed++
	if c.Malformed == 1 {
		r.config.Logger.Warn("message refused; more from this client are only counted", "client", c.ID, "error", err)
	}
	if c.Malformed >= MaxMalformed {
		c.Session.Close(r.config.Now(), netsys.ReasonProtocol)
	}
}

// Client is a connected client.
type Client struct {
	ID      uint32
	Session netsys.Session
	Notices notice.Queue
	Logged  notice.Once // kinds of log messages that were logged

	// Malformed counts invalid messages, Flooded those that were not read.
	Malformed int
	Flooded   uint64

	index    int // index in Roster.clients
	recorder bool
	counts

	unsent  uint64        // packets that the session refused
	unacked bool          // a packet was sent since the last acknowledgement
	silence time.Duration // time since unacked was set
	deaf    bool          // silence exceeded the timeout
}

func newClient(session netsys.Session) *Client {
	return &Client{ID: uint32(session.ID()), Session: session, Notices: notice.Queue{Channels: session.Channels()}}
}

// Acked records that the client acknowledged a packet.
func (c *Client) Acked() { c.unacked, c.silence = false, 0 }
