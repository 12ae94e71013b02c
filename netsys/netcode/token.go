package netcode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

const (
	// TokenSize is the length in bytes of a connect token as [ConnectToken.Append] writes it.
	TokenSize = 2048
	// UserDataSize is the length in bytes of a token's data about the client.
	UserDataSize = 256

	version      = "NETCODE 1.02\x00"
	nonceSize    = 24
	macSize      = 16
	privateSize  = 1024
	publicHeader = len(version) + 8 + 8 + 8 + nonceSize

	defaultLifetime = 45 * time.Second
	defaultTimeout  = 10 * time.Second
)

// DefaultProtocolID is the default of [TokenConfig.ProtocolID] and [ServerConfig.ProtocolID].
const DefaultProtocolID uint64 = 0x7461637475730001

// TokenConfig configures a connect token. Key and Servers are required. The other fields have defaults.
type TokenConfig struct {
	// Key is the secret shared by servers and the issuer of tokens. Never give it to clients.
	Key Key

	// ProtocolID identifies the game and its version. Servers ignore tokens with another id. 0 means [DefaultProtocolID].
	ProtocolID uint64

	// ClientID identifies the player. A server has at most one session per id.
	ClientID uint64

	// Servers are the server addresses that the client tries in order, 1 to [MaxServers].
	Servers []netip.AddrPort

	// Known are the servers' own addresses ([ServerConfig.Addresses]), if they differ from the addresses that clients use.
	// nil means Servers.
	Known []netip.AddrPort

	// Lifetime is how long the token can be used to connect, in whole seconds. The server counts from now, the client from
	// its first Update. Servers accept at most 65 minutes by default: [ServerConfig.MaxLifetime]. 0 means 45 s.
	Lifetime time.Duration

	// Timeout is the silence, in whole seconds, after which a session or an attempt to connect ends. 0 means 10 s. A
	// negative value means never, for use with debuggers.
	Timeout time.Duration

	// UserData is data for the server, at most [UserDataSize] bytes, padded with zeros. The client cannot read it.
	UserData []byte

	// Random fills a slice with random bytes, for example for the session's keys. nil means crypto/rand.
	Random func(b []byte)
}

// Format implements [fmt.Formatter] without printing the key. It is needed because fmt ignores the methods of fields when
// the verb does not fit.
func (c TokenConfig) Format(f fmt.State, verb rune) {
	type printed TokenConfig // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error for a missing key, missing, too many or unusable addresses, durations that are not whole
// seconds, negative or above 1<<31-1 seconds, and too much user data.
func (c TokenConfig) Validate() error {
	var errs []error
	if c.Key == (Key{}) {
		errs = append(errs, errors.New("netcode: TokenConfig.Key is missing"))
	}
	errs = append(errs, validateAddresses("TokenConfig.Servers", c.Servers))
	if c.Known != nil {
		errs = append(errs, validateAddresses("TokenConfig.Known", c.Known))
	}
	if c.Lifetime < 0 {
		errs = append(errs, fmt.Errorf("netcode: TokenConfig.Lifetime %v is negative", c.Lifetime))
	}
	if c.Lifetime%time.Second != 0 || c.Timeout%time.Second != 0 {
		errs = append(errs, fmt.Errorf("netcode: TokenConfig.Lifetime %v and Timeout %v must be whole seconds", c.Lifetime, c.Timeout))
	}
	if c.Timeout > (1<<31-1)*time.Second {
		errs = append(errs, fmt.Errorf("netcode: TokenConfig.Timeout %v does not fit", c.Timeout))
	}
	if len(c.UserData) > UserDataSize {
		errs = append(errs, fmt.Errorf("netcode: TokenConfig.UserData has %d bytes, at most %d", len(c.UserData), UserDataSize))
	}
	return errors.Join(errs...)
}

func validateAddresses(name string, list []netip.AddrPort) error {
	if len(list) < 1 || len(list) > MaxServers {
		return fmt.Errorf("netcode: %s has %d addresses, must have 1 to %d", name, len(list), MaxServers)
	}
	for _, a := range list {
		if !a.IsValid() || a.Addr().IsUnspecified() || a.Port() == 0 {
			return fmt.Errorf("netcode: %s: nobody can be reached at %v", name, a)
		}
	}
	return nil
}

// Issue creates a token. now must be the time of day. The error is that of [TokenConfig.Validate].
func (c TokenConfig) Issue(now time.Time) (*ConnectToken, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	lifetime, timeout := orDefault(c.Lifetime, defaultLifetime), orDefault(c.Timeout, defaultTimeout)
	t := &ConnectToken{
		ProtocolID: orDefault(c.ProtocolID, DefaultProtocolID),
		Create:     unixTime(now),
		Timeout:    -1,
	}
	t.Expire = t.Create + uint64(lifetime/time.Second)
	if timeout > 0 {
		t.Timeout = int32(timeout / time.Second)
	}
	for _, a := range c.Servers {
		t.Servers = append(t.Servers, public(a))
	}
	private := privateToken{clientID: c.ClientID, timeout: t.Timeout}
	known := c.Known
	if known == nil {
		known = c.Servers
	}
	for _, a := range known {
		private.servers.list[private.servers.n] = public(a)
		private.servers.n++
	}
	fillRandom(c.Random, t.ClientToServer[:])
	fillRandom(c.Random, t.ServerToClient[:])
	fillRandom(c.Random, t.Nonce[:])
	private.clientToServer, private.serverToClient = t.ClientToServer, t.ServerToClient
	copy(private.userData[:], c.UserData)
	private.seal(&t.Private, newTokenCipher(c.Key), t.ProtocolID, t.Expire, t.Nonce[:])
	return t, nil
}

// ConnectToken admits a client. The login service sends it over an encrypted connection, because it contains the keys of
// the session. Only servers can read its private part.
type ConnectToken struct {
	// ProtocolID is [TokenConfig.ProtocolID].
	ProtocolID uint64
	// Create and Expire are seconds since 1970. Clients use only the difference.
	Create, Expire uint64
	// Nonce and Private are sent to the server unchanged.
	Nonce   [24]byte
	Private [1024]byte
	// Timeout is in seconds; zero or negative means none.
	Timeout int32
	// Servers are the addresses to try, in order.
	Servers []netip.AddrPort
	// ClientToServer and ServerToClient are the keys of the session.
	ClientToServer, ServerToClient Key
}

// Format implements [fmt.Formatter] without printing the keys. It is needed because fmt ignores the methods of fields when
// the verb does not fit.
func (t ConnectToken) Format(f fmt.State, verb rune) {
	type printed ConnectToken // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(t))
}

// Append appends the token as [TokenSize] bytes:
//
//	version 13 │ protocol id u64 │ create u64 │ expire u64 │ nonce 24 │ private 1,024 │ timeout i32 │ addresses │
//	client to server key 32 │ server to client key 32 │ zeros
func (t *ConnectToken) Append(dst []byte) []byte {
	end := len(dst) + TokenSize
	dst = append(dst, version...)
	dst = binary.LittleEndian.AppendUint64(dst, t.ProtocolID)
	dst = binary.LittleEndian.AppendUint64(dst, t.Create)
	dst = binary.LittleEndian.AppendUint64(dst, t.Expire)
	dst = append(dst, t.Nonce[:]...)
	dst = append(dst, t.Private[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(t.Timeout))
	dst = appendAddresses(dst, t.Servers)
	dst = append(dst, t.ClientToServer[:]...)
	dst = append(dst, t.ServerToClient[:]...)
	return append(dst, make([]byte, end-len(dst))...)
}

// ParseToken parses the bytes of [ConnectToken.Append]. The error wraps [ErrToken].
func ParseToken(b []byte) (*ConnectToken, error) {
	if len(b) != TokenSize {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", ErrToken, len(b), TokenSize)
	}
	if string(b[:len(version)]) != version {
		return nil, fmt.Errorf("%w: version is %q, not %q", ErrToken, b[:len(version)], version)
	}
	t := &ConnectToken{
		ProtocolID: binary.LittleEndian.Uint64(b[13:]),
		Create:     binary.LittleEndian.Uint64(b[21:]),
		Expire:     binary.LittleEndian.Uint64(b[29:]),
		Nonce:      [24]byte(b[37:]),
		Private:    [1024]byte(b[publicHeader:]),
		Timeout:    int32(binary.LittleEndian.Uint32(b[publicHeader+privateSize:])),
	}
	var servers addresses
	rest, ok := servers.parse(b[publicHeader+privateSize+4:])
	if !ok {
		return nil, fmt.Errorf("%w: bad server addresses", ErrToken)
	}
	t.Servers = append(t.Servers, servers.slice()...)
	// Even the longest list of addresses leaves room for the keys.
	t.ClientToServer, t.ServerToClient = Key(rest), Key(rest[KeySize:])
	if err := t.check(); err != nil {
		return nil, err
	}
	return t, nil
}

// check returns an error if the token lacks fields that a client needs.
func (t *ConnectToken) check() error {
	if t.Create > t.Expire {
		return fmt.Errorf("%w: expires before it is created", ErrToken)
	}
	if len(t.Servers) < 1 || len(t.Servers) > MaxServers {
		return fmt.Errorf("%w: names %d servers", ErrToken, len(t.Servers))
	}
	return nil
}

// unixTime returns seconds since 1970, or 0 for earlier times.
func unixTime(t time.Time) uint64 { return uint64(max(t.Unix(), 0)) }

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
