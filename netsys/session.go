package netsys

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
)

// Session is the connection to one peer of an [Endpoint]: on a server a client, on a client the server. It is encrypted and
// authenticated by the netcode standard. It numbers and acknowledges datagrams, carries channels, and detects that the peer is
// gone. It belongs to the goroutine that polls its endpoint. Its methods may be called after it has ended.
type Session interface {
	// ID returns the client's number on the server, which is above 0 and the same on both ends: the result of [ServerConfig.ID], or
	// counted from 1. It returns 0 before the client is connected.
	ID() uint64

	// ClientID returns the id from the connect token, which identifies the player across sessions and servers. On a client with a
	// token it returns 0, because the client cannot read the token.
	ClientID() uint64

	// Spectator reports whether the client only watches: see [ClientConfig.Spectate].
	Spectator() bool

	// UserData returns the 256 bytes about the player that the issuer of the connect token sent to the server. They must not be
	// changed. It returns nil on a client.
	UserData() []byte

	// RemoteAddr returns the peer's address. It changes when the client's address changes: see [Stats.Moves].
	RemoteAddr() netip.AddrPort

	// Next returns the sequence number of the next Send, if neither Poll nor Flush is called before it.
	Next() uint16

	// Send sends a copy of one datagram of 0 to [MaxPayload] bytes. It returns the sequence number that [Handler.Acked] later
	// receives. Channels use the rest of the packet. Errors are [ErrTooLarge], [ErrNotConnected], [ErrClosed], and those of
	// [Wire.Send], such as [ErrFull]; the datagram is then lost and its number is used up. A server accepts 1,000 packets per
	// second from a session, and ends a session that keeps sending more with [ReasonFlood].
	Send(now time.Time, payload []byte) (seq uint16, err error)

	// Channels returns the session's channels. Messages are sent with datagrams and at the end of [Endpoint.Poll] and
	// [Server.Flush]. A client may send messages before it is connected; they wait. [channel.Endpoint.Allowance] is the number of
	// bytes that a snapshot may use.
	Channels() *channel.Endpoint

	// Stats returns the statistics of the session as of the latest Poll or Send.
	Stats() Stats

	// Close ends the session and sends the reason to the peer in ten packets, because they are not acknowledged. The current or
	// next Poll of the endpoint calls [Handler.Disconnected] with a [*CloseError]. Further calls do nothing.
	Close(now time.Time, reason Reason)
}

// Handler receives the events of sessions. [Endpoint.Poll] calls its methods on its own goroutine. They may send, close sessions
// and read statistics. They must not call Poll or Close of the endpoint.
//
// On a server with several [ServerConfig.Workers], the workers call Received and Acked: concurrently for different sessions, never
// for the same one. These methods must then use only the session that is passed to them; see [WorkerHandler].
//
// A server processes datagrams in rounds of up to 1,024 datagrams or 512 KiB. In each round, connected sessions first get Acked and
// Received in the order of arrival, up to the first packet that contains more than a payload. Then all other events follow, in the
// order of arrival over all sessions.
type Handler interface {
	// Connected is called once for a session, before all other methods: on a client when the welcome arrives, and on a server when
	// the client's first packet proves that it received the welcome.
	Connected(now time.Time, s Session)

	// Received is called once for each payload that arrives, in the session's order of arrival. For one packet, Acked comes first,
	// then Received, then Message.
	Received(now time.Time, s Session, p Packet)

	// Message is called for each complete message of a channel, in the order that the channel guarantees. The message is valid
	// during the call. Datagrams sent during the call carry no channel data.
	Message(now time.Time, s Session, channel int, message []byte)

	// Acked is called once when the peer acknowledges the payload with this number. The number is at most 1,024 packets old. It is
	// never called for a lost payload.
	Acked(s Session, seq uint16)

	// Disconnected is called once for a session, after all other methods. The reason matches [ErrTimeout], [ErrReplaced] or
	// [ErrClosed] (a [*CloseError]). On a client whose handshake failed, it is called without Connected, and the reason matches
	// [ErrTimeout], [ErrRefused], [netcode.ErrTokenExpired], [ErrElsewhere], or [ErrClosed] if the client gave up.
	Disconnected(now time.Time, s Session, reason error)
}

// Packet is one payload that arrived.
type Packet struct {
	// Seq is the number that the peer's [Session.Send] returned.
	Seq uint16
	// At is the time of arrival.
	At time.Time
	// Newest is true if no packet with a newer number arrived before this one.
	Newest bool
	// Data has 0 to [MaxPayload] bytes. It is valid during the call.
	Data []byte
}

// Endpoint is one end of a connection: a [Server] or a [Client].
type Endpoint interface {
	// Poll reads the wire, calls h for the events up to now, and sends packets that are due. It does not block. now must be the
	// time of day, because connect tokens contain times. Sessions continue if the clock is set. Virtual networks and a
	// [Conditioner] require that now never decreases.
	Poll(now time.Time, h Handler)

	// Close closes all sessions and the wire, and returns the wire's error. The next Poll calls Disconnected for these sessions;
	// further Polls do nothing.
	Close(now time.Time) error
}

// Stats holds the statistics of one session. All values are 0 until something was measured.
type Stats struct {
	// RTT is the smoothed round trip time, without the time that the peer took to answer.
	RTT time.Duration
	// MinRTT is the shortest round trip of the last 10 s.
	MinRTT time.Duration
	// Jitter is the smoothed mean deviation of the round trip from RTT.
	Jitter time.Duration

	// LossIn is the fraction, 0 to 1, of the peer's packets of the last 10 s that did not arrive. A packet counts as lost if it is
	// missing 500 ms after a newer one arrived.
	LossIn float64
	// LossOut is the fraction, 0 to 1, of this end's packets of the last 10 s that the peer did not acknowledge. It is slightly too
	// high if many consecutive acknowledgements are lost.
	LossOut float64

	// DatagramsIn and DatagramsOut count valid packets of the session, including those without a payload.
	DatagramsIn, DatagramsOut uint64
	// BytesIn and BytesOut are the bytes of these packets, including the headers of the session (11 bytes) and netcode (18 to 25
	// bytes), without UDP and IP headers.
	BytesIn, BytesOut uint64
	// PayloadIn and PayloadOut are the bytes passed to [Handler.Received] and to [Session.Send].
	PayloadIn, PayloadOut uint64
	// Unsent counts packets for which the wire returned an error. They are not in DatagramsOut.
	Unsent uint64

	// Silence is the time since the latest valid packet of the peer.
	Silence time.Duration
	// Moves is how often the client's address changed. It is 0 on a client.
	Moves uint64
	// Malformed counts malformed packets: see [ServerConfig.MaxMalformed].
	Malformed uint64
}

// state is the phase of a session.
type state uint8

const (
	connecting state = iota
	welcomed         // on a server: the welcome was sent, and the client has not answered
	connected
	ended    // Disconnected will be called
	reported // Disconnected was called
)
