package netcode

import (
	"crypto/cipher"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"
)

const (
	challengeSize  = 300
	challengePlain = challengeSize - macSize
)

// challenges creates and checks challenge tokens. Only the server that created a token can read it:
//
//	client id u64 │ user data 256 │ zeros to 284 bytes │ MAC 16
//
// The token is sealed by ChaCha20-Poly1305 with a random key of the server. The nonce is a sequence number from zero, which
// is sent before the token.
type challenges struct {
	aead  cipher.AEAD
	next  uint64
	nonce [chacha20poly1305.NonceSize]byte
	plain [challengeSize]byte
}

func newChallenges(key *Key) challenges { return challenges{aead: newPacketCipher(key)} }

// append appends the next sequence number and its token.
func (c *challenges) append(dst []byte, clientID uint64, userData *[UserDataSize]byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, c.next)
	binary.LittleEndian.PutUint64(c.nonce[4:], c.next)
	c.next++
	clear(c.plain[:])
	binary.LittleEndian.PutUint64(c.plain[:], clientID)
	copy(c.plain[8:], userData[:])
	return c.aead.Seal(dst, c.nonce[:], c.plain[:challengePlain], nil)
}

// open decrypts the body of a response.
func (c *challenges) open(body []byte) (sequence, clientID uint64, ok bool) {
	if len(body) != challengeBody {
		return 0, 0, false
	}
	sequence = binary.LittleEndian.Uint64(body)
	binary.LittleEndian.PutUint64(c.nonce[4:], sequence)
	plain, err := c.aead.Open(c.plain[:0], c.nonce[:], body[8:], nil)
	if err != nil {
		return 0, 0, false
	}
	return sequence, binary.LittleEndian.Uint64(plain), true
}
