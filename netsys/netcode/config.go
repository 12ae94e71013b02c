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
	// defaultUsedShare is which share of MaxUsedTokens one network has, as a divisor.
	defaultUsedShare         = 16
	defaultRequestsPerSecond = 1000
	defaultTokensPerSecond   = 50000
	defaultPacketsPerSecond  = 1000

	// defaultMaxLifetime is an hour, and five minutes for clocks that differ.
	defaultMaxLifetime = 65 * time.Minute

	// sendInterval is between the packets of a handshake, and the longest silence of a session.
	sendInterval = 100 * time.Millisecond
	// halfOpenTime is how long a handshake may wait for the client's response.
	halfOpenTime = 10 * time.Second
	// aliveTime is how long after a request a handshake cannot be replaced by another from its address, which
	// somebody may have forged. A client that lives needs a round trip, or asks again.
	aliveTime = time.Second
	// heldTime is how much of the time between two updates counts as silence of the other end: a process that was
	// held did not listen.
	heldTime = time.Second
	// floodTime is for how long a session may be over its rate.
	floodTime = 2 * time.Second
)

// ServerConfig configures [NewServer]. Key, and Addresses or AnyAddress, are needed; all else has defaults.
type ServerConfig struct {
	// Key is the secret shared with whoever issues tokens.
	Key Key

	// ProtocolID is the game and its version; requests for another one are dropped. 0 means [DefaultProtocolID].
	ProtocolID uint64

	// Addresses are this server's own, as tokens name them: a token must name one of them.
	Addresses []netip.AddrPort

	// AnyAddress makes the server take tokens for any server, and Addresses needless: somebody who captures the
	// request of another server's player can keep the player out, and the same token gets a slot on each server.
	// For development.
	AnyAddress bool

	// Takeover lets a client that is connected connect again by another token, one that expires no earlier than that of
	// its session, from any address: with the answer to the challenge the old session ends with [ErrReplaced] and
	// the new one begins. Without it a client id that is connected gets no second slot until it leaves or times
	// out, as the standard says.
	Takeover bool

	// MaxClients is how many slots there are. A client with a good token that finds none free is denied.
	// 0 means 256.
	MaxClients int

	// MaxHalfOpen is how many handshakes may wait for a response at once, each of another good token; requests
	// beyond that are dropped, and come again. 0 means 1,024.
	MaxHalfOpen int

	// MaxLifetime is how far in the future the expiry of a token may lie; one that expires later is dropped with
	// [DropLifetime], as a used one would have to be remembered for that long. 0 means 65 minutes; at most the
	// constant [MaxLifetime], 69 minutes and 54 seconds, in which sequence numbers keep the sessions of a token apart.
	MaxLifetime time.Duration

	// MaxUsedTokens is how many tokens are remembered as used until they expire; while it is reached nobody gets a
	// slot, and [DropUsedFull] counts. 0 means 65,536.
	MaxUsedTokens int

	// MaxUsedPerNetwork is how many of these came from one network: the first 24 bits of an IPv4 address, 48 of an IPv6
	// address. With one more, the one of that network that expires first is remembered no longer. 0 means a sixteenth
	// of MaxUsedTokens, and at least one.
	MaxUsedPerNetwork int

	// RequestsPerSecond is how many requests and responses from one IPv4 address or IPv6 network of 64 bits are
	// decrypted, with bursts of one second's worth; a client sends ten a second until it is connected.
	// 0 means 1,000.
	RequestsPerSecond int

	// TokensPerSecond is how many tokens of addresses that never had a session are decrypted, with bursts of a tenth
	// of a second's worth, and as many again of addresses that had one. It bounds what a flood of requests with
	// forged tokens from forged addresses costs, about 0.7 µs each. A client that connects meanwhile has to get past
	// it once, by chance: at 100,000 forged requests a second every other of its requests does. A token that was seen
	// before is not decrypted. 0 means 50,000.
	TokensPerSecond int

	// PacketsPerSecond is how many packets of one session are taken, with bursts of one second's worth. A session that
	// goes on sending more for two seconds ends with [ErrFlood]; half a second's worth less in between saves it.
	// 0 means 1,000.
	PacketsPerSecond int

	// Random fills a slice with the random bytes that keys and sequence numbers of this run begin with. nil means
	// crypto/rand; anything that repeats is for tests and virtual networks only.
	Random func(b []byte)
}

// Format implements [fmt.Formatter] without telling the key: where a verb does not fit, fmt asks no method of a field.
func (c ServerConfig) Format(f fmt.State, verb rune) {
	type printed ServerConfig // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error for a missing key, for too few or unusable addresses, and for negative or too large numbers.
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

// withDefaults replaces zeros, and copies what the caller could change.
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
