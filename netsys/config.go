package netsys

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	defaultMaxClients     = 256
	defaultTimeout        = 10 * time.Second
	defaultConnectTimeout = 10 * time.Second
	defaultKeepAlive      = 100 * time.Millisecond
	defaultMaxMalformed   = 64
)

// ServerConfig configures [NewServer]. The zero value is a server for 256 clients without a schema in development mode, which
// has no secret and accepts clients on the same machine only.
type ServerConfig struct {
	// Key is the secret shared with the issuer of connect tokens: see package netcode. The zero key or [DevelopmentKey] means
	// development mode, in which anybody can issue tokens. NewServer then returns [ErrInsecure] unless the wire is on a loopback
	// address or virtual.
	Key netcode.Key

	// ProtocolID identifies the game and its version, as in the tokens. Clients with another id get no answer. 0 means
	// [DefaultProtocolID].
	ProtocolID uint64

	// Addresses are this server's addresses as tokens name them, at most [netcode.MaxServers]. nil means the addresses on which
	// the wire listens, for UDP and WebSocket. They are not needed in development mode.
	Addresses []netip.AddrPort

	// InsecureAllowAnyAddress allows development mode on any address. Anybody who can reach the server can then join as any
	// player, and read and change the traffic of others.
	InsecureAllowAnyAddress bool

	// MaxClients is the largest number of clients, including those whose handshake is not finished. Further clients are refused
	// with [ErrServerFull]. 0 means 256.
	MaxClients int

	// Timeout ends a session that has received no valid packet for this long. At most one second between two polls counts,
	// because a suspended process does not receive. 0 means 10 s. Less than twice KeepAlive is an error. A shorter timeout in the
	// connect token takes precedence, except in development mode.
	Timeout time.Duration

	// KeepAlive is the time without sending after which a session sends an empty packet, which also carries acknowledgements.
	// 0 means 100 ms.
	KeepAlive time.Duration

	// Schema describes the application's protocol, one line per component. Schema, Channels and Messages have at most
	// [MaxSchemaLines] lines together, none of them empty. Clients with other lines are refused with a [*SchemaError].
	Schema []string

	// Channels configures the channels of each session. [channel.Config.Lines] must be equal on both ends. The zero value is the
	// default. Packet must not exceed [MaxPayload].
	Channels channel.Config

	// Messages describes the messages of the channels, as [channel.Registry.Lines] returns them. Clients with other lines are
	// refused with a [*SchemaError].
	Messages []string

	// MaxTokenLifetime is the longest remaining lifetime of a connect token, at most [netcode.MaxLifetime]. Clients with other
	// tokens get no answer, and [netcode.DropLifetime] counts them. 0 means 65 minutes.
	MaxTokenLifetime time.Duration

	// MaxMalformed is the number of malformed packets after which a session ends with [ReasonProtocol]. 0 means 64. Malformed
	// packets are authentic packets that no correct peer sends: those dropped for [DropTooShort], [DropTooLong],
	// [DropUnknownType], [DropUnexpected], [DropMalformed] or [DropChannels].
	MaxMalformed int

	// ID returns the number of a new client, whose session has no number yet. No two sessions may have the same number. ID is
	// called once per handshake, before Welcome, and must not change the game. nil or a result of 0 means the largest number so
	// far plus 1.
	ID func(s Session) uint64

	// Login checks the [ClientConfig.Login] of a new client, at most [MaxLogin] untrusted bytes. It returns the value of
	// [Server.Login]. If it returns an error, the client is refused with [ErrLogin] and the text of the error, or with [ErrBusy]
	// or [ErrServerFull] if the error wraps that. Login is called once per handshake, before ID, and must not change the game. The session has its
	// ClientID and UserData and cannot send yet. nil accepts every client.
	Login func(s Session, login []byte) ([]byte, error)

	// Welcome returns data that a new client receives together with its id, at most [MaxWelcome] bytes; more panics. It is called
	// once per handshake, before [Handler.Connected]. It must not change the game, because Connected may never follow. nil sends
	// nothing.
	Welcome func(id uint64) []byte

	// Workers run the work of sessions on several goroutines: they decrypt the datagrams of a Poll, and [Server.Spread] sends on
	// them. With more than one worker, [Handler.Received] and [Handler.Acked] run on them too, concurrently for different
	// sessions but never for the same one. The results do not depend on the number of workers. nil means the caller's goroutine
	// alone.
	Workers Workers

	// Logger receives a line for each address whose connect token is refused, with the reason and advice. The address gets no
	// further line until its tokens have not been refused for 10 s. Beyond 256 addresses, there is one line per 10 s for all of
	// them. Clients are not told the reason. nil logs nothing.
	Logger logging.Logger

	// Random fills a slice with random bytes for keys and challenges. nil means crypto/rand. [SeededRandom] makes runs
	// reproducible.
	Random func(b []byte)
}

// Format implements [fmt.Formatter] without printing the key. For a verb that does not suit the key, package fmt would not call
// the key's own method.
func (c ServerConfig) Format(f fmt.State, verb rune) {
	type printed ServerConfig // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error for values out of range, for a Timeout below twice KeepAlive, and for an invalid Schema.
func (c ServerConfig) Validate() error {
	var errs []error
	if c.MaxClients < 0 {
		errs = append(errs, fmt.Errorf("netsys: ServerConfig.MaxClients %d is negative", c.MaxClients))
	}
	if c.MaxMalformed < 0 {
		errs = append(errs, fmt.Errorf("netsys: ServerConfig.MaxMalformed %d is negative", c.MaxMalformed))
	}
	if len(c.Addresses) > netcode.MaxServers {
		errs = append(errs, fmt.Errorf("netsys: ServerConfig.Addresses has %d addresses, more than %d", len(c.Addresses), netcode.MaxServers))
	}
	if c.MaxTokenLifetime < 0 || c.MaxTokenLifetime > netcode.MaxLifetime {
		errs = append(errs, fmt.Errorf("netsys: ServerConfig.MaxTokenLifetime %v is not in 0..%v", c.MaxTokenLifetime, netcode.MaxLifetime))
	}
	errs = append(errs, validateTimes("ServerConfig", c.Timeout, c.KeepAlive),
		validateChannels("ServerConfig", c.Channels), validateSchema("ServerConfig", c.Schema, c.Channels, c.Messages))
	return errors.Join(errs...)
}

// ClientConfig configures [NewClient]. The zero value suits a server with a zero [ServerConfig].
type ClientConfig struct {
	// Token is the connect token that the game's login service issued: see package netcode. A token is valid for one client. nil
	// means development mode, in which the client issues a token with [DevelopmentKey]. NewClient then returns [ErrInsecure]
	// unless the server is on a loopback address or the wire is virtual.
	Token *netcode.ConnectToken

	// ProtocolID is the server's protocol id in development mode. Otherwise the token contains it. 0 means [DefaultProtocolID].
	ProtocolID uint64

	// ClientID identifies the player in development mode. Otherwise the token contains it. 0 means a random number.
	ClientID uint64

	// InsecureAllowAnyAddress allows development mode with a server at any address. Anybody on the path can then read and change
	// the traffic.
	InsecureAllowAnyAddress bool

	// ConnectTimeout is the time from the first Poll to the end of the handshake, with all of the token's servers that the client tries.
	// It tries the next one after the token's timeout, or after 2 s if the token has none. 0 means 10 s for each of these servers.
	ConnectTimeout time.Duration

	// Timeout ends a session that has received no valid packet for this long. At most one second between two polls counts,
	// because a suspended process does not receive. 0 means 10 s. Less than twice KeepAlive is an error. A shorter timeout in the
	// connect token takes precedence, except in development mode.
	Timeout time.Duration

	// KeepAlive is the time without sending after which a session sends an empty packet, which also carries acknowledgements.
	// 0 means 100 ms.
	KeepAlive time.Duration

	// Schema must equal the server's. See [ServerConfig.Schema].
	Schema []string

	// Channels must match the server's: see [ServerConfig.Channels]. Independently of their rate, channels send at most 750
	// packets per second in addition to datagrams.
	Channels channel.Config

	// Messages must equal the server's. See [ServerConfig.Messages].
	Messages []string

	// Tag is a number that the server's application receives: see [Server.Tag]. Its meaning is up to the application.
	Tag uint64

	// Spectate connects the client as a spectator: see [Session]'s Spectator. What a spectator may do is up to the application.
	Spectate bool

	// Login is data for the server's application, such as the requested name or team: see [ServerConfig.Login]. It has at most
	// [MaxLogin] bytes. nil is the same as empty.
	Login []byte

	// Room is a buffer for packets. Clients of one goroutine can share one, which uses less of the processor's cache. nil gives the
	// client its own.
	Room *netcode.Room

	// Random fills a slice with random bytes for a token that the client issues itself. nil means crypto/rand. [SeededRandom] makes
	// runs reproducible.
	Random func(b []byte)
}

// Validate returns an error for values out of range, for a Timeout below twice KeepAlive, and for an invalid Schema.
func (c ClientConfig) Validate() error {
	var errs []error
	if c.ConnectTimeout < 0 {
		errs = append(errs, fmt.Errorf("netsys: ClientConfig.ConnectTimeout %v is negative", c.ConnectTimeout))
	}
	lines := len(c.Schema) + len(sessionLines(c.Channels, c.Messages))
	if room := min(MaxLogin, netcode.MaxPayload-helloSize-4*lines); len(c.Login) > max(room, 0) {
		errs = append(errs, fmt.Errorf("netsys: ClientConfig.Login has %d bytes; with %d lines of Schema, Channels and Messages at most %d fit", len(c.Login), lines, max(room, 0)))
	}
	errs = append(errs, validateTimes("ClientConfig", c.Timeout, c.KeepAlive),
		validateChannels("ClientConfig", c.Channels), validateSchema("ClientConfig", c.Schema, c.Channels, c.Messages))
	return errors.Join(errs...)
}

func validateTimes(config string, timeout, keepAlive time.Duration) error {
	if timeout < 0 {
		return fmt.Errorf("netsys: %s.Timeout %v is negative", config, timeout)
	}
	if keepAlive < 0 {
		return fmt.Errorf("netsys: %s.KeepAlive %v is negative", config, keepAlive)
	}
	timeout, keepAlive = orDefault(timeout, defaultTimeout), orDefault(keepAlive, defaultKeepAlive)
	if timeout < 2*keepAlive {
		return fmt.Errorf("netsys: %s.Timeout %v is less than twice KeepAlive %v", config, timeout, keepAlive)
	}
	return nil
}

func validateChannels(config string, c channel.Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("netsys: %s.Channels: %w", config, err)
	}
	if c.Packet > MaxPayload {
		return fmt.Errorf("netsys: %s.Channels: Packet %d is more than the %d bytes of a payload", config, c.Packet, MaxPayload)
	}
	return nil
}

// newChannels returns the channels of one session. The configuration is valid.
func newChannels(c channel.Config) *channel.Endpoint {
	e, err := channel.New(c)
	if err != nil {
		panic(err)
	}
	return e
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// SeededRandom returns a function for [ServerConfig.Random] and [ClientConfig.Random] that returns the same bytes in every run with
// the same seed. Use it for virtual networks and tests only: on a real network, anybody who knows the seed can read and forge
// packets.
func SeededRandom(seed uint64) func(b []byte) {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	source := rand.NewChaCha8(key)
	return func(b []byte) { _, _ = source.Read(b) }
}

// randomUint64 returns a number from a Random function. If that is nil, it uses crypto/rand, which never fails.
func randomUint64(random func([]byte)) uint64 {
	var b [8]byte
	if random == nil {
		_, _ = cryptorand.Read(b[:])
	} else {
		random(b[:])
	}
	return binary.LittleEndian.Uint64(b[:])
}
