package netcode

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/internal/clock"
)

// Reader reads for whom a request for a session is, and answers nothing: whoever passes datagrams on to one of several
// servers with the same key asks it once a client comes. It is used by one goroutine. The server examines the request
// again.
type Reader struct {
	protocolID uint64
	clock      clock.Clock
	tokens     tokenReader
	limits     *limiter
	plain      []byte
	userData   [UserDataSize]byte
}

// Asked is what the token of a request says.
type Asked struct {
	// ClientID is [TokenConfig.ClientID].
	ClientID uint64
	// Expire is when the token expires, in seconds since 1970.
	Expire uint64
	// UserData is [TokenConfig.UserData]. It is valid until the next request is read.
	UserData []byte
}

// NewReader returns a reader of requests with tokens of this key. Of the configuration it takes Key, ProtocolID,
// RequestsPerSecond, TokensPerSecond and Random. The error is that of [ServerConfig.Validate], but for its addresses.
func NewReader(config ServerConfig) (*Reader, error) {
	config.Addresses, config.AnyAddress = nil, true
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	return &Reader{
		protocolID: config.ProtocolID,
		tokens:     tokenReader{aead: newTokenCipher(config.Key)},
		limits:     newLimiter(config.RequestsPerSecond, config.TokensPerSecond, config.Random),
		plain:      make([]byte, 0, MaxDatagram),
	}, nil
}

// String tells nothing of the key.
func (r *Reader) String() string {
	return fmt.Sprintf("reader of requests for protocol %x", r.protocolID)
}

// Format implements [fmt.Formatter] by String for every verb that asks it, without telling keys.
func (r Reader) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), r.String()) }

// IsRequest reports whether a datagram looks like a request for a session.
func IsRequest(datagram []byte) bool { return len(datagram) > 0 && datagram[0] == kindRequest }

// Read reads a request that arrived at now, which must be the time of day. It returns why the request is not worth
// passing on: it is none, for another protocol, its token is of another key or has expired, or there were too many, of
// this address or of all.
func (r *Reader) Read(now time.Time, from netip.AddrPort, datagram []byte) (Asked, DropReason) {
	switch {
	case !IsRequest(datagram):
		return Asked{}, DropType
	case len(datagram) != requestSize:
		return Asked{}, DropSize
	}
	b := datagram[1:]
	if string(b[:len(version)]) != version {
		return Asked{}, DropVersion
	}
	b = b[len(version):]
	if binary.LittleEndian.Uint64(b) != r.protocolID {
		return Asked{}, DropProtocol
	}
	expire := binary.LittleEndian.Uint64(b[8:])
	if expire <= unixTime(now) {
		return Asked{}, DropExpired
	}
	at, tag := r.clock.At(now), r.limits.tag(unmap(from).Addr())
	if !r.limits.allow(at, tag) {
		return Asked{}, DropRate
	}
	if !r.limits.decrypt(at, tag) {
		return Asked{}, DropBusy
	}
	plain, ok := r.tokens.open(r.plain[:0], r.protocolID, expire, b[16:16+nonceSize], b[16+nonceSize:])
	if !ok {
		return Asked{}, DropKey
	}
	var token privateToken
	if !token.parse(plain) {
		return Asked{}, DropMalformed
	}
	r.userData = token.userData
	return Asked{ClientID: token.clientID, Expire: expire, UserData: r.userData[:]}, DropNone
}

// Met notes the address of a client that has a session: it shares an allowance with others like it, which floods from
// forged addresses do not use up.
func (r *Reader) Met(from netip.AddrPort) { r.limits.remember(r.limits.tag(unmap(from).Addr())) }
