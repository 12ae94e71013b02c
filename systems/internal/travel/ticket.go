package travel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	ticketVersion = 1
	maxKind       = 32
	maxSchema     = 32
	maxURL        = 256
	// MaxTicket is the maximum size of a ticket in bytes.
	MaxTicket = 1 + 5*2 + maxKind + maxSchema + 2*maxURL + netcode.TokenSize
)

// ErrTicket is wrapped by errors about an invalid ticket.
var ErrTicket = errors.New("systems: bad ticket")

// Ticket admits a client to a room. A server sends it as
//
//	version u8 = 1 | kind | schema | ws | webtransport | token, each a length u16, little-endian, and bytes
//
// The token is encoded by netcode, without its trailing zeros.
type Ticket struct {
	// Kind is the name of the kind of room, up to 32 bytes.
	Kind string
	// Schema is the hash of the protocol of that room, in hexadecimal; "" if the server does not know it.
	Schema string
	// WS and WebTransport are URLs of the room's process; "" for none. UDP uses the addresses in the token.
	WS, WebTransport string
	// Token admits the player once. Keep it secret: its holder is the player.
	Token *netcode.ConnectToken
}

// Format implements [fmt.Formatter] without printing the keys of the token.
func (t Ticket) Format(f fmt.State, verb rune) {
	type printed Ticket // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(t))
}

// Validate returns an error that wraps ErrTicket if a field is invalid.
func (t *Ticket) Validate() error {
	switch {
	case t.Token == nil:
		return fmt.Errorf("%w: no token", ErrTicket)
	case len(t.Kind) > maxKind || len(t.Schema) > maxSchema:
		return fmt.Errorf("%w: a kind of %d bytes, a schema of %d", ErrTicket, len(t.Kind), len(t.Schema))
	}
	if err := checkURL(t.WS, "ws", "wss"); err != nil {
		return err
	}
	return checkURL(t.WebTransport, "https")
}

// checkURL returns an error unless text is "" or a URL with one of the schemes.
func checkURL(text string, schemes ...string) error {
	if text == "" {
		return nil
	}
	scheme, host := cutURL(text)
	if len(text) > maxURL || !slices.Contains(schemes, scheme) || host == "" {
		return fmt.Errorf("%w: %.40q is not a URL that starts with %s://", ErrTicket, text, strings.Join(schemes, ":// or "))
	}
	return nil
}

// cutURL returns the scheme and the host with its port. The host is empty if the URL has a user, a fragment or
// invalid bytes. Package net/url would add 45 KB to a browser program.
func cutURL(text string) (scheme, host string) {
	scheme, rest, _ := strings.Cut(text, "://")
	for i := range len(rest) {
		if c := rest[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>\\^`{|}", c) >= 0 {
			return scheme, ""
		}
	}
	if host = rest; strings.ContainsAny(rest, "/?") {
		host = rest[:strings.IndexAny(rest, "/?")]
	}
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i > strings.IndexByte(host, ']') {
		name, port = host[:i], host[i+1:]
	}
	if strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]") {
		name = strings.ReplaceAll(name[1:len(name)-1], ":", ".")
	}
	if name == "" || strings.ContainsAny(name, "@:[]%") || strings.Trim(port, "0123456789") != "" {
		return scheme, ""
	}
	return scheme, host
}

// Host returns the host and port of WS, or else of WebTransport, or "" if the ticket has neither.
func (t *Ticket) Host() string {
	text := t.WS
	if text == "" {
		text = t.WebTransport
	}
	_, host := cutURL(text)
	return host
}

// Append appends the encoded ticket, which must be valid.
func (t *Ticket) Append(dst []byte) []byte {
	dst = append(dst, ticketVersion)
	for _, text := range []string{t.Kind, t.Schema, t.WS, t.WebTransport} {
		dst = append(binary.LittleEndian.AppendUint16(dst, uint16(len(text))), text...)
	}
	token := t.Token.Append(nil)
	n := len(token)
	for n > 0 && token[n-1] == 0 {
		n--
	}
	return append(binary.LittleEndian.AppendUint16(dst, uint16(n)), token[:n]...)
}

// ParseTicket decodes the output of [Ticket.Append].
func ParseTicket(b []byte) (*Ticket, error) {
	if len(b) < 1 || len(b) > MaxTicket || b[0] != ticketVersion {
		return nil, fmt.Errorf("%w: %d bytes, or of another version", ErrTicket, len(b))
	}
	rest, t := b[1:], new(Ticket)
	next := func(most int) (field []byte) {
		if len(rest) < 2 {
			rest = nil
			return nil
		}
		n := int(binary.LittleEndian.Uint16(rest))
		if rest = rest[2:]; n > most || n > len(rest) {
			rest = nil
			return nil
		}
		field, rest = rest[:n], rest[n:]
		return field
	}
	t.Kind, t.Schema = string(next(maxKind)), string(next(maxSchema))
	t.WS, t.WebTransport = string(next(maxURL)), string(next(maxURL))
	field := next(netcode.TokenSize)
	if len(field) == 0 || field[len(field)-1] == 0 || len(rest) != 0 {
		return nil, fmt.Errorf("%w: wrong length", ErrTicket)
	}
	whole := make([]byte, netcode.TokenSize)
	copy(whole, field)
	var err error
	if t.Token, err = netcode.ParseToken(whole); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTicket, err)
	}
	return t, t.Validate()
}
