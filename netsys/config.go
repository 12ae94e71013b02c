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

// ServerConfig configures [NewServer]. The zero value is a server for 256 clients, without lines of a schema, in
// development mode: without a secret, for clients on the same machine.
type ServerConfig struct {
	// Key is the secret shared with whoever issues connect tokens: see package netcode. The zero key, or
	// [DevelopmentKey], means development mode: everybody can issue a token, so NewServer refuses it with
	// [ErrInsecure] unless the wire is on a loopback address or virtual.
	Key netcode.Key

	// ProtocolID is the game and its version, as in the tokens: clients of another one get no answer. 0 means
	// [DefaultProtocolID].
	ProtocolID uint64

	// Addresses are this server's own as tokens name them, at most [netcode.MaxServers]. nil means where the wire
	// listens, for datagrams and for WebSockets; clients must know it by these. Not needed in development mode.
	Addresses []netip.AddrPort

	// InsecureAllowAnyAddress makes NewServer take development mode on any address: anybody who can reach it can
	// join, as any player, and read and change what others send.
	InsecureAllowAnyAddress bool

	// MaxClients is how many clients may be connected at once; more are refused with [ErrServerFull]. Those
	// count too that have shown their token and not yet been welcomed.
	// 0 means 256.
	MaxClients int

	// Timeout ends a session when no valid packet came for this long, of which at most one second between two
	// polls counts: a process that was held did not listen. 0 means 10 s; less than twice
	// KeepAlive is refused. A shorter timeout in the connect token, other than of the development mode, goes
	// first.
	Timeout time.Duration

	// KeepAlive is after how long without sending a session sends an empty packet, which also carries
	// acknowledgements. 0 means 100 ms.
	KeepAlive time.Duration

	// Schema is the canonical text of the application's protocol, one line per component, with those of Channels and
	// Messages at most [MaxSchemaLines], none of them empty. Clients with other lines are refused with a [*SchemaError].
	Schema []string

	// Channels are the channels of each session. Both ends must have the same, by [channel.Config.Lines]. The
	// zero value is the default; Packet must not be above [MaxPayload].
	Channels channel.Config

	// Messages are the lines of the messages that channels carry, as of [channel.Registry.Lines]. Clients with
	// others are refused with a [*SchemaError].
	Messages []string

	// MaxTokenLifetime is how far in the future the expiry of a connect token may lie; players with others get no
	// answer, and [netcode.DropLifetime] counts. 0 means 65 minutes; at most [netcode.MaxLifetime].
	MaxTokenLifetime time.Duration

	// MaxMalformed is how many packets that no honest client sends a session survives; after that it ends with
	// [ReasonProtocol]. 0 means 64.
	MaxMalformed int

	// ID gives a new client its number, by its [Session.ClientID]; it must not be that of another session.
	// It is called once per handshake before Welcome, and like that must not change the game. nil, or 0
	// returned, means one more than the largest so far.
	ID func(clientID uint64) uint64

	// Login looks at the [ClientConfig.Login] of a new client, at most [MaxLogin] bytes that anybody may have made,
	// and returns what [Server.Login] is to be. With an error the client is refused, and told its text, behind
	// [ErrLogin], or hears [ErrBusy] where it wraps that. It is called once per handshake before ID, and like Welcome must not change the game. The session has
	// its ClientID and UserData by then, and can send nothing. nil takes every client.
	Login func(s Session, login []byte) ([]byte, error)

	// Welcome returns what a new client is told together with its id, at most [MaxWelcome] bytes; more
	// panics. It is called once per handshake, before [Handler.Connected] and possibly without it, since a
	// client may never come back: it must not change the game. nil sends nothing.
	Welcome func(id uint64) []byte

	// Workers are goroutines that share the sessions: what arrives in a Poll is opened on them, and [Server.Spread]
	// sends on them. With more than one, [Handler.Received] and [Handler.Acked] run on them too, at the same time
	// for different sessions and never for one. What happens, and in which order, is the same for every number. nil
	// is the caller alone.
	Workers Workers

	// Logger receives a line for each address whose connect token is refused, with the reason and what to do about it,
	// and no other until that address was quiet for 10 s; beyond 256 of them one line in 10 s. Clients are not told.
	// nil means none.
	Logger logging.Logger

	// Random fills a slice with the random bytes that keys and challenges are made of. nil means crypto/rand. See
	// [SeededRandom] for runs that repeat exactly.
	Random func(b []byte)
}

// Format implements [fmt.Formatter] without telling the key: where a verb does not fit, fmt asks no method of a field.
func (c ServerConfig) Format(f fmt.State, verb rune) {
	type printed ServerConfig // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error for negative values and a MaxTokenLifetime that is too long, for a Timeout below twice
// KeepAlive, and for a bad Schema.
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
	// Token admits the client to a server, as the game's login service issued it: see package netcode. A token
	// serves one client. nil means development mode: the client issues one itself, by [DevelopmentKey], and
	// NewClient refuses that with [ErrInsecure] unless the server is on a loopback address or the wire is
	// virtual.
	Token *netcode.ConnectToken

	// ProtocolID is that of the server, in development mode; otherwise the token has it. 0 means
	// [DefaultProtocolID].
	ProtocolID uint64

	// ClientID is who the player is, in development mode; otherwise the token says so. 0 means a random number.
	ClientID uint64

	// InsecureAllowAnyAddress makes NewClient take development mode with a server anywhere: anybody on the way
	// can read and change what is sent.
	InsecureAllowAnyAddress bool

	// ConnectTimeout ends a handshake that got no answer, counted from the first Poll. 0 means 10 s, for each of
	// the token's servers if the client tries them.
	ConnectTimeout time.Duration

	// Timeout ends a session when no valid packet came for this long, of which at most one second between two
	// polls counts: a process that was held did not listen. 0 means 10 s; less than twice
	// KeepAlive is refused. A shorter timeout in the connect token, other than of the development mode, goes
	// first.
	Timeout time.Duration

	// KeepAlive is after how long without sending a session sends an empty packet, which also carries
	// acknowledgements. 0 means 100 ms.
	KeepAlive time.Duration

	// Schema must equal the server's. See [ServerConfig.Schema].
	Schema []string

	// Channels must suit the server's. See [ServerConfig.Channels]. Whatever their rate, they fill at most 750 packets a
	// second beside datagrams.
	Channels channel.Config

	// Messages must equal the server's. See [ServerConfig.Messages].
	Messages []string

	// Tag is told to the server's application, which decides what it means: see [Server.Tag]. It is not
	// compared. 0 means nothing.
	Tag uint64

	// Login is what the client asks to be, for the server's application: see [ServerConfig.Login]. At most [MaxLogin]
	// bytes; nil is as good as none.
	Login []byte

	// Room is for packets; clients of one goroutine may share one: less of the processor's cache. nil means one of its own.
	Room *netcode.Room

	// Random fills a slice with the random bytes of a token that the client issues itself. nil means
	// crypto/rand. See [SeededRandom] for runs that repeat exactly.
	Random func(b []byte)
}

// Validate returns an error for negative values, for a Timeout below twice KeepAlive, and for a bad Schema.
func (c ClientConfig) Validate() error {
	var errs []error
	if c.ConnectTimeout < 0 {
		errs = append(errs, fmt.Errorf("netsys: ClientConfig.ConnectTimeout %v is negative", c.ConnectTimeout))
	}
	lines := len(c.Schema) + len(sessionLines(c.Channels, c.Messages))
	if room := min(MaxLogin, netcode.MaxPayload-helloSize-4*lines); len(c.Login) > max(room, 0) {
		errs = append(errs, fmt.Errorf("netsys: ClientConfig.Login of %d bytes; beside %d lines of Schema, Channels and Messages there is room for %d", len(c.Login), lines, max(room, 0)))
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
		return fmt.Errorf("netsys: %s.Channels: Packet is %d, more than the %d bytes of a payload", config, c.Packet, MaxPayload)
	}
	return nil
}

// newChannels makes the channels of one session, by a configuration that has been validated.
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

// SeededRandom returns a function for [ServerConfig.Random] and [ClientConfig.Random] that gives the same
// bytes in every run with the same seed: for virtual networks and tests. On a real network it lets anybody
// who knows the seed read and forge packets.
func SeededRandom(seed uint64) func(b []byte) {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	source := rand.NewChaCha8(key)
	return func(b []byte) { _, _ = source.Read(b) }
}

// randomUint64 draws from a Random function, or from crypto/rand, which never fails, when it is nil.
func randomUint64(random func([]byte)) uint64 {
	var b [8]byte
	if random == nil {
		_, _ = cryptorand.Read(b[:])
	} else {
		random(b[:])
	}
	return binary.LittleEndian.Uint64(b[:])
}
