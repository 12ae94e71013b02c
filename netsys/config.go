package netsys

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	defaultMaxClients     = 256
	defaultTimeout        = 10 * time.Second
	defaultConnectTimeout = 10 * time.Second
	defaultKeepAlive      = 100 * time.Millisecond
	helloInterval         = 100 * time.Millisecond
)

// ServerConfig configures [NewServer]. The zero value is a server for 256 clients of any schema without lines.
type ServerConfig struct {
	// MaxClients is how many clients may be connected at once; more are refused with [ErrServerFull].
	// 0 means 256.
	MaxClients int

	// Timeout ends a session when no valid packet came for this long, of which at most one second between two
	// polls counts: a process that was held did not listen. 0 means 10 s; less than twice
	// KeepAlive is refused.
	Timeout time.Duration

	// KeepAlive is after how long without sending a session sends an empty packet, which also carries
	// acknowledgements. 0 means 100 ms.
	KeepAlive time.Duration

	// Schema is the canonical text of the application's protocol, one line per component, at most
	// [MaxSchemaLines], none of them empty. Clients with other lines are refused with a [*SchemaError].
	Schema []string

	// Welcome returns what a new client is told together with its id, at most [MaxWelcome] bytes; more
	// panics. It is called once per handshake, before [Handler.Connected] and possibly without it, since a
	// client may never come back: it must not change the game. nil sends nothing.
	Welcome func(id uint64) []byte

	// Random fills a slice with the random bytes that keep strangers out. nil means crypto/rand. See
	// [SeededRandom] for runs that repeat exactly.
	Random func(b []byte)
}

// Validate returns an error for negative values, for a Timeout below twice KeepAlive, and for a bad Schema.
func (c ServerConfig) Validate() error {
	var errs []error
	if c.MaxClients < 0 {
		errs = append(errs, fmt.Errorf("netsys: ServerConfig.MaxClients %d is negative", c.MaxClients))
	}
	errs = append(errs, validateTimes("ServerConfig", c.Timeout, c.KeepAlive), validateSchema("ServerConfig", c.Schema))
	return errors.Join(errs...)
}

// ClientConfig configures [NewClient]. The zero value suits a server with a zero [ServerConfig].
type ClientConfig struct {
	// ConnectTimeout ends a handshake that got no answer, counted from the first Poll. 0 means 10 s.
	ConnectTimeout time.Duration

	// Timeout ends a session when no valid packet came for this long, of which at most one second between two
	// polls counts: a process that was held did not listen. 0 means 10 s; less than twice
	// KeepAlive is refused.
	Timeout time.Duration

	// KeepAlive is after how long without sending a session sends an empty packet, which also carries
	// acknowledgements. 0 means 100 ms.
	KeepAlive time.Duration

	// Schema must equal the server's. See [ServerConfig.Schema].
	Schema []string

	// Tag is told to the server's application, which decides what it means: see [Server.Tag]. It is not
	// compared. 0 means nothing.
	Tag uint64

	// Random fills a slice with the random bytes that tell this handshake from others. nil means
	// crypto/rand. See [SeededRandom] for runs that repeat exactly.
	Random func(b []byte)
}

// Validate returns an error for negative values, for a Timeout below twice KeepAlive, and for a bad Schema.
func (c ClientConfig) Validate() error {
	var errs []error
	if c.ConnectTimeout < 0 {
		errs = append(errs, fmt.Errorf("netsys: ClientConfig.ConnectTimeout %v is negative", c.ConnectTimeout))
	}
	errs = append(errs, validateTimes("ClientConfig", c.Timeout, c.KeepAlive), validateSchema("ClientConfig", c.Schema))
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

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// SeededRandom returns a function for [ServerConfig.Random] and [ClientConfig.Random] that gives the same
// bytes in every run with the same seed: for virtual networks and tests. On a real network it lets anybody
// who knows the seed forge packets.
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
