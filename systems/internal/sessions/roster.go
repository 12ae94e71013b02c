package sessions

import (
	"errors"
	"time"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/roll"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
)

// MaxMessages is how many messages of one client a server reads in one wake-up:
// what an honest client sends in four seconds at 60 ticks a second.
const MaxMessages = 256

// MaxMalformed is how many messages that no honest peer sends a session may
// carry: as many as four wake-ups of a server read.
const MaxMalformed = 4 * MaxMessages

// Config is what bounds sessions.
type Config struct {
	// MaxClients is how many players are waited for at most.
	MaxClients int
	// MaxDelivered is how many messages of channels a client may have delivered in a wake-up.
	MaxDelivered int
	// Timeout is for how long a client may acknowledge nothing.
	Timeout time.Duration
	// ReconnectWindow is for how long a player is waited for; 0: nobody is.
	ReconnectWindow time.Duration
	// Logger is told who comes and goes.
	Logger logging.Logger
	// Door is told, too. It may be nil.
	Door Door
	// Now is the time of this wake-up.
	Now func() time.Time
}

// Stats counts what sessions did.
type Stats struct {
	Malformed uint64 // well-formed packets with a message that is not
	Flooded   uint64 // messages beyond what is read
	Returned  uint64 // players that came back while they were waited for
	Deaf      uint64 // clients that were dropped because they acknowledged nothing
	Unsent    uint64 // packets that the wire refused
	Untold    uint64 // notices that clients were not told of: there were too many
	BytesIn   uint64 // payload from the wire, session overhead included
	BytesOut  uint64

	DatagramsIn, DatagramsOut uint64
}

// add adds what was carried to and from a client, and what it was not told.
func (s *Stats) add(c *Client) {
	x := c.Session.Stats()
	s.Untold += c.Notices.Untold()
	s.Unsent += c.unsent
	s.BytesIn += x.BytesIn
	s.BytesOut += x.BytesOut
	s.DatagramsIn += x.DatagramsIn
	s.DatagramsOut += x.DatagramsOut
}

// Roster is who is here, who is waited for, and who has left.
type Roster struct {
	config   Config
	clients  roll.Roll[Client] // in the order in which they came
	reserved []Reservation     // in the order in which players went
	gone     []uint32          // clients that have left for good, which is not carried out yet
	numbers  uint32            // client numbers given
	returns  uint32            // handshakes of players that were waited for
	polls    uint32
	polled   time.Time
	notices  notice.Sender
	stats    Stats
}

// New makes a roster that nobody is on.
func New(c Config) *Roster {
	if c.Door == nil {
		c.Door = open{}
	}
	return &Roster{config: c, clients: roll.New(func(c *Client) *int { return &c.place })}
}

// Stats counts what the sessions of all clients did, those that are gone included.
func (r *Roster) Stats() Stats {
	st := r.stats
	for _, c := range r.clients.All() {
		st.add(c)
	}
	return st
}

// Enter lets a client in whose session has begun, back under its number where the player was
// waited for. It returns nil where there is no number for it.
func (r *Roster) Enter(session netsys.Session) (c *Client, kept Reservation, back bool) {
	id := uint32(session.ID())
	kept, back = r.take(session.ClientID(), id)
	if !back && session.ID()>>numberBits != 0 {
		// Owners have 32 bits, and a number that was used before must not own
		// what its first bearer left behind. All numbers are used up; or who comes
		// back took longer than anybody waits.
		session.Close(r.config.Now(), netsys.ReasonServerClosing)
		r.config.Logger.Error("client refused: there is no client number for it", "address", session.RemoteAddr())
		return nil, kept, false
	}
	c = &Client{ID: id, Session: session}
	r.clients.Add(c)
	word := "client joined"
	if back {
		r.stats.Returned++
		word = "client is back"
	}
	r.config.Logger.Info(word, "client", id, "address", session.RemoteAddr())
	r.config.Door.Entered(session, id)
	return c, kept, back
}

// Leave ends with a client, whose newest input that was consumed is this: its player is
// waited for, or gone for good.
func (r *Roster) Leave(c *Client, reason error, input uint32) {
	r.clients.Remove(c)
	r.stats.add(c)
	waits := r.Waits(reason)
	r.config.Door.Left(c.Session, c.ID, reason, waits)
	if waits {
		r.config.Logger.Info("client is gone, and waited for", "client", c.ID, "reason", reason)
		r.reserve(c, input)
		return
	}
	r.config.Logger.Info("client left", "client", c.ID, "reason", reason)
	r.gone = append(r.gone, c.ID)
}

// Gone is which clients have left for good since it was cleared last.
func (r *Roster) Gone() []uint32 { return r.gone }

// ClearGone says that all of that is carried out.
func (r *Roster) ClearGone() { r.gone = r.gone[:0] }

// Poll begins a wake-up: each client may be read anew.
func (r *Roster) Poll() { r.polls++ }

// counts are what was read of a client in a wake-up.
type counts struct {
	polls     uint32 // number of the wake-up
	messages  int
	delivered int // of channels
}

// count begins to count anew in another wake-up.
func (c *counts) count(polls uint32) {
	if c.polls != polls {
		*c = counts{polls: polls}
	}
}

// Polled is called once what arrived is taken in: it ends the waiting for players that did
// not come, and the sessions of clients that acknowledged nothing for the timeout,
// although they send: nothing reaches them, or they do not read.
func (r *Roster) Polled() {
	now, last := r.config.Now(), r.polled
	r.expire(now)
	if r.polled = now; last.IsZero() {
		return
	}
	passed := min(max(now.Sub(last), 0), time.Second) // a process that was held did not listen
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

// Send sends a client a packet, which it is to acknowledge. It reports false where the wire
// refuses it, which is counted but for clients whose session this very step has ended. It may run for several clients
// at once.
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

// SendNotices sends clients the notices that they have not heard.
func (r *Roster) SendNotices() {
	for _, c := range r.clients.All() {
		r.notices.Send(&c.Notices, c.Session, r.config.Now(), func(b []byte) (uint16, bool) { return r.Send(c, b) })
	}
}

// Read reports whether another message of a client is to be read in this wake-up: see [Roster.Flooded]. It may run for
// several clients at once.
func (r *Roster) Read(c *Client) bool {
	c.count(r.polls)
	c.messages++
	return c.messages <= MaxMessages
}

// Deliver reports whether another message of a channel is to be heeded in this wake-up. A client
// that sends more of them than its queues hold breaks the protocol: what is reliable cannot
// be left unread.
func (r *Roster) Deliver(c *Client) bool {
	c.count(r.polls)
	if c.delivered++; c.delivered > r.config.MaxDelivered {
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

// Refuse counts a malformed message. A client that goes on sending them must
// fill neither the log nor the server's time.
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

// Client is a client that is here.
type Client struct {
	ID      uint32
	Session netsys.Session
	Notices notice.Queue
	Logged  notice.Once // what was logged of it

	// Malformed counts messages that no honest client sends, Flooded those that were not read.
	Malformed int
	Flooded   uint64

	place int // on the list of all
	counts

	unsent  uint64        // packets that the wire refused
	unacked bool          // something was sent since the last acknowledgement
	silence time.Duration // for which that has been so
	deaf    bool          // too long
}

// Acked notes that the client acknowledged something.
func (c *Client) Acked() { c.unacked, c.silence = false, 0 }
