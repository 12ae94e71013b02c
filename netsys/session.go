package netsys

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
)

// Session is one peer of an [Endpoint]: on a server a client, on a client the server. It is encrypted and
// authenticated by the netcode standard. It numbers and acknowledges datagrams, carries channels beside them, and
// notices when the peer is gone. It belongs to the goroutine that polls its endpoint, and may be kept and asked
// after its end.
type Session interface {
	// ID is the client's number on the server, above 0, as [ServerConfig.ID] gave it or else counted from 1. Both
	// ends see the same. 0 until a client is connected.
	ID() uint64

	// ClientID is who the player is, across sessions and servers: as the connect token says. On a client with a
	// token, which cannot read it, it is 0.
	ClientID() uint64

	// UserData are the 256 bytes that whoever issued the connect token told the server about the player; they
	// must not be changed. nil on a client.
	UserData() []byte

	// RemoteAddr is the peer's address. It changes when a client moves: see [Stats.Moves].
	RemoteAddr() netip.AddrPort

	// Next is the number that the next Send gets, if neither Poll nor Flush comes before it.
	Next() uint16

	// Send sends one datagram of 0 to [MaxPayload] bytes, which it copies, and returns its sequence number,
	// as later given to [Handler.Acked]. What room is left in the packet is given to the channels. Errors:
	// [ErrTooLarge], [ErrNotConnected], [ErrClosed]; errors of [Wire.Send], [ErrFull] among them, mean that
	// this datagram is lost, and its number is spent. A server takes 1,000 packets a second of a session, and ends
	// one that goes on sending more: [ReasonFlood].
	Send(now time.Time, payload []byte) (seq uint16, err error)

	// Channels are the session's channels, for [channel.Endpoint.Send], Stats and Allowance: what a snapshot
	// should fit into. Messages leave with datagrams and at the end of [Endpoint.Poll] and [Server.Flush]. A
	// client may send before it is connected; that waits.
	Channels() *channel.Endpoint

	// Stats are the figures of the session as of the latest Poll or Send.
	Stats() Stats

	// Close ends the session and tells the peer why, ten times at once since nobody will answer. The
	// endpoint's next Poll, or the present one, reports it to [Handler.Disconnected] with a [*CloseError].
	// Closing twice is harmless.
	Close(now time.Time, reason Reason)
}

// Handler is told what happens. Its methods are called from [Endpoint.Poll], on that goroutine. They may
// send, close sessions and read statistics; they must not call Poll or Close of the endpoint.
//
// On a server with several [ServerConfig.Workers], Received and Acked are called by these, at the same time for different
// sessions and never for one, and must keep to the session that they are told of; see [WorkerHandler].
//
// A server takes what has come in rounds of 1,024 datagrams or 512 KiB. In each, sessions that are connected are told what
// was acknowledged and received first, each in the order of arrival, up to the first packet that brings more than a
// payload; after that come, in the order of arrival over all sessions, everything else, and what came behind it.
type Handler interface {
	// Connected is called once for a session, before anything else. On a server that is when the client's
	// first packet proves that it received the welcome; on a client when the welcome arrives.
	Connected(now time.Time, s Session)

	// Received is called for every payload that arrives, at most once each, in a session's order of arrival. What a
	// packet acknowledges is reported before its payload, and its payload before its messages.
	Received(now time.Time, s Session, p Packet)

	// Message is called for every message of a channel that is complete and whose turn it is. The message is
	// valid during the call. A datagram that is sent meanwhile leaves its room to no channel.
	Message(now time.Time, s Session, channel int, message []byte)

	// Acked is called when the peer has told that it received the payload with this number, at most once
	// per payload, at most 1,024 packets after it was sent. A payload that got lost is never mentioned.
	Acked(s Session, seq uint16)

	// Disconnected is called once for a session, after everything else. The reason matches [ErrTimeout],
	// [ErrReplaced] or [ErrClosed] (a [*CloseError]). On a client whose handshake failed it is called
	// without Connected, with [ErrTimeout], [ErrRefused], [netcode.ErrTokenExpired], [ErrElsewhere] or, when it was
	// given up, [ErrClosed].
	Disconnected(now time.Time, s Session, reason error)
}

// Packet is one payload that arrived.
type Packet struct {
	// Seq is the number that the peer's [Session.Send] returned.
	Seq uint16
	// At is the time of arrival.
	At time.Time
	// Newest is true when no packet with a newer number came before this one.
	Newest bool
	// Data is valid during the call, 0 to [MaxPayload] bytes.
	Data []byte
}

// Endpoint is one end of a connection: a [Server] or a [Client].
type Endpoint interface {
	// Poll reads the wire, reports to h what happened up to now, and sends what is due. It never blocks.
	// now must be the time of day, as issuers of connect tokens know it. Sessions go on when that is set; virtual
	// networks and a [Conditioner] need one that does not go backwards.
	Poll(now time.Time, h Handler)

	// Close closes all sessions and the wire, and returns the wire's error. One more Poll reports the
	// sessions that ended by it; Polls after that do nothing.
	Close(now time.Time) error
}

// Stats are the figures of one session. Times are 0 and shares 0 until there is something to go by.
type Stats struct {
	// RTT is the smoothed round trip time without the time that packets waited in the peer for an answer.
	RTT time.Duration
	// MinRTT is the shortest round trip of the last 10 s.
	MinRTT time.Duration
	// Jitter is the smoothed mean deviation of the round trip from RTT.
	Jitter time.Duration

	// LossIn is the share, 0 to 1, of the peer's packets due in the last 10 s that did not arrive. A packet
	// counts as lost when it is missing 500 ms after a newer one came; one that is merely late does not.
	LossIn float64
	// LossOut is the share, 0 to 1, of our packets of the last 10 s that the peer did not acknowledge. It is
	// a little too high when whole runs of acknowledgements are lost.
	LossOut float64

	// DatagramsIn and DatagramsOut count valid packets of the session, those without payload included.
	DatagramsIn, DatagramsOut uint64
	// BytesIn and BytesOut are the bytes of these packets as they are on the wire: with the session's 11 bytes
	// and netcode's 18 to 25, without UDP's and IP's.
	BytesIn, BytesOut uint64
	// PayloadIn and PayloadOut are the bytes given to [Handler.Received] and to [Session.Send].
	PayloadIn, PayloadOut uint64
	// Unsent is the number of packets, not among DatagramsOut, that the wire would not take.
	Unsent uint64

	// Silence is how long nothing valid has come from the peer.
	Silence time.Duration
	// Moves is how often a client's address changed; 0 on a client.
	Moves uint64
	// Malformed counts packets that no honest peer sends. See [ServerConfig.MaxMalformed].
	Malformed uint64
}

// state is the age of a session.
type state uint8

const (
	connecting state = iota
	welcomed         // on a server: not heard from since
	connected
	ended    // the reason is known, the handler not yet told
	reported // the handler has been told
)
