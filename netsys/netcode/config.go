package netcode

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

const (
	defaultMaxClients    = 256
	defaultMaxHalfOpen   = 1024
	defaultMaxUsedTokens = 65536
	// defaultUsedShare is the divisor for the share of MaxUsedTokens that one network may use.
	defaultUsedShare         = 16
	defaultRequestsPerSecond = 1000
	defaultTokensPerSecond   = 50000
	defaultPacketsPerSecond  = 1000

	// defaultMaxLifetime is one hour plus five minutes for clock differences.
	defaultMaxLifetime = 65 * time.Minute

	// sendInterval is the interval of handshake packets, and of keep-alives in a session without payloads.
	sendInterval = 100 * time.Millisecond
	// halfOpenTime is how long a half-open handshake waits for the client's response.
	halfOpenTime = 10 * time.Second
	// aliveTime is how long after the last request of a handshake another handshake from the same address, which may be
	// forged, cannot replace it. A live client needs one round trip, or repeats its request.
	aliveTime = time.Second
	// heldTime is the longest part of the time between two updates that counts as silence of the other side. A suspended
	// process did not listen.
	heldTime = time.Second
	// floodTime is how long a session may exceed its packet rate.
	floodTime = 2 * time.Second
)

// ServerConfig configures [NewServer]. Key is required, and so is Addresses or AnyAddress. The other fields have defaults.
type ServerConfig struct {
	// Key is the secret shared with the issuer of the tokens.
	Key Key

	// ProtocolID identifies the game and its version. The server drops requests for any other id. 0 means
	// [DefaultProtocolID].
	ProtocolID uint64

	// Addresses are this server's own addresses. The server accepts a token only if it names one of them.
	Addresses []netip.AddrPort

	// AnyAddress makes the server accept tokens for any server; Addresses is then not needed. It is for development: an
	// attacker who captures a request to another server can lock out its player, and one token gets a slot on every server.
	AnyAddress bool

	// Takeover lets a connected client connect again with another token, from any address, if the new token does not expire
	// before the token of the session. After the answer to the challenge, the old session ends with [ErrReplaced] and the
	// new session begins. Without Takeover, as in the standard, a connected client id gets no second slot until its session
	// has ended.
	Takeover bool

	// MaxClients is the number of slots. When all are in use, a client with a valid token is denied. 0 means 256.
	MaxClients int

	// MaxHalfOpen is the number of handshakes that may wait for a response at once, each with a different valid token.
	// Further requests are dropped; clients repeat them. 0 means 1,024.
	MaxHalfOpen int

	// MaxLifetime is the longest remaining lifetime of an accepted token. The server drops a longer one with
	// [DropLifetime], because it would have to remember the token for that time after use. 0 means 65 minutes. The maximum
	// is the constant [MaxLifetime], 69 minutes and 54 seconds: sequence numbers keep the sessions of one token apart for
	// that time.
	MaxLifetime time.Duration

	// MaxUsedTokens is the number of used tokens that the server remembers until they expire. While this table is full, no
	// client gets a slot and [DropUsedFull] counts. 0 means 65,536.
	MaxUsedTokens int

	// MaxUsedPerNetwork is the limit of remembered tokens per network: the first 24 bits of an IPv4 address, 48 bits of an
	// IPv6 address. At the limit, the network's entry with the earliest expiry is dropped. 0 means a sixteenth of
	// MaxUsedTokens, at least one.
	MaxUsedPerNetwork int

	// RequestsPerSecond is the number of requests and responses per second that the server decrypts from one IPv4 address
	// or 64-bit IPv6 network, with bursts of one second's worth. A connecting client sends ten per second. 0 means 1,000.
	RequestsPerSecond int

	// TokensPerSecond is the number of tokens per second that the server decrypts for addresses without an earlier session,
	// with bursts of 0.1 seconds' worth. Addresses with an earlier session share the same number again. The limit bounds
	// the cost of a flood with forged tokens from forged addresses, about 0.7 µs per token. During a flood, chance decides
	// whether a client's request passes: at 100,000 forged requests per second, every second request does. A known token is
	// not decrypted again. 0 means 50,000.
	TokensPerSecond int

	// PacketsPerSecond is the number of packets per second that the server accepts from one session, with bursts of one
	// second's worth. A session that exceeds the rate for two seconds ends with [ErrFlood]; the two seconds start again
	// when it has sent half a second's worth less than allowed. 0 means 1,000.
	PacketsPerSecond int

	// Random fills a slice with random bytes for the keys and the first sequence numbers of this run. nil means
	// crypto/rand. Use a repeatable function only for tests and virtual networks.
	Random func(b []byte)
}

// Format implements [fmt.Formatter] without printing the key. It is needed because fmt ignores the methods of fields when
// the verb does not fit.
func (c ServerConfig) Format(f fmt.State, verb rune) {
	type printed ServerConfig // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error for a missing key, missing or unusable addresses, and negative or too large numbers.
func (c ServerConfig) Validate() error {
	var errs []error
	if c.Key == (Key{}) {
		errs = append(errs, errors.New("netcode: ServerConfig.Key is missing"))
	}
	if len(c.Addresses) == 0 && !c.AnyAddress {
		errs = append(errs, errors.New("netcode: ServerConfig.Addresses is empty"))
	}
	for _, a := range c.Addresses {
		if !a.IsValid() || a.Addr().IsUnspecified() || a.Port() == 0 {
			errs = append(errs, fmt.Errorf("netcode: ServerConfig.Addresses: nobody can be reached at %v", a))
		}
	}
	for _, n := range []struct {
		name  string
		value int
		most  int
	}{
		{"MaxClients", c.MaxClients, 1 << 16},
		{"MaxHalfOpen", c.MaxHalfOpen, 1 << 20},
		{"MaxUsedTokens", c.MaxUsedTokens, 1 << 24},
		{"MaxUsedPerNetwork", c.MaxUsedPerNetwork, 1 << 24},
		{"RequestsPerSecond", c.RequestsPerSecond, 1e6},
		{"TokensPerSecond", c.TokensPerSecond, 1e7},
		{"PacketsPerSecond", c.PacketsPerSecond, 1e6},
	} {
		if n.value < 0 || n.value > n.most {
			errs = append(errs, fmt.Errorf("netcode: ServerConfig.%s %d is not in 0..%d", n.name, n.value, n.most))
		}
	}
	if c.MaxLifetime < 0 || c.MaxLifetime > MaxLifetime {
		errs = append(errs, fmt.Errorf("netcode: ServerConfig.MaxLifetime %v is not in 0..%v", c.MaxLifetime, MaxLifetime))
	}
	return errors.Join(errs...)
}

// withDefaults replaces zeros and copies the slices of the caller.
func (c ServerConfig) withDefaults() ServerConfig {
	c.ProtocolID = orDefault(c.ProtocolID, DefaultProtocolID)
	c.MaxClients = orDefault(c.MaxClients, defaultMaxClients)
	c.MaxHalfOpen = orDefault(c.MaxHalfOpen, defaultMaxHalfOpen)
	c.MaxLifetime = orDefault(c.MaxLifetime, defaultMaxLifetime)
	c.MaxUsedTokens = orDefault(c.MaxUsedTokens, defaultMaxUsedTokens)
	c.MaxUsedPerNetwork = orDefault(c.MaxUsedPerNetwork, max(1, c.MaxUsedTokens/defaultUsedShare))
	c.RequestsPerSecond = orDefault(c.RequestsPerSecond, defaultRequestsPerSecond)
	c.TokensPerSecond = orDefault(c.TokensPerSecond, defaultTokensPerSecond)
	c.PacketsPerSecond = orDefault(c.PacketsPerSecond, defaultPacketsPerSecond)
	own := make([]netip.AddrPort, len(c.Addresses))
	for i, a := range c.Addresses {
		own[i] = public(a)
	}
	c.Addresses = own
	return c
}
