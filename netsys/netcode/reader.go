package netcode

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/clock"
)

// Reader decrypts requests without answering them. It is for a process that forwards datagrams to several servers with the
// same key: the token of a request tells which server gets the client. The server checks the request again. Only one
// goroutine may use a Reader.
type Reader struct {
	protocolID uint64
	clock      clock.Clock
	tokens     tokenReader
	limits     *limiter
	plain      []byte
	userData   [UserDataSize]byte
}

// Asked is the contents of a request's token.
type Asked struct {
	// ClientID is [TokenConfig.ClientID].
	ClientID uint64
	// Expire is the expiry of the token, in seconds since 1970.
	Expire uint64
	// UserData is [TokenConfig.UserData]. It is valid until the next call of Read.
	UserData []byte
}

// NewReader returns a reader of requests with tokens of the given key. It uses Key, ProtocolID, RequestsPerSecond,
// TokensPerSecond and Random of the configuration. The error is as in [ServerConfig.Validate], without the checks of
// addresses.
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

// String returns the protocol id. It never contains the key.
func (r *Reader) String() string {
	return fmt.Sprintf("reader of requests for protocol %x", r.protocolID)
}

// Format implements [fmt.Formatter]. It prints String for every verb and never prints keys.
func (r Reader) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), r.String()) }

// IsRequest reports whether a datagram looks like a request for a session.
func IsRequest(datagram []byte) bool { return len(datagram) > 0 && datagram[0] == kindRequest }

// Read decrypts a request that arrived at now, which must be the time of day. It returns a reason if the request must not
// be forwarded: it is malformed or for another protocol, its token has expired or was made with another key, or its address
// or all addresses together exceeded a rate.
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

// Met records the address of a client with a session. Floods from forged addresses do not use up the common allowance of
// recorded addresses.
func (r *Reader) Met(from netip.AddrPort) { r.limits.remember(r.limits.tag(unmap(from).Addr())) }
