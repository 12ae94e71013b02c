package netcode

import (
	"crypto/cipher"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"
)

// privateToken is the private part of a token, which only servers can read:
//
//	client id u64 │ timeout i32 │ addresses │ client to server key 32 │ server to client key 32 │ user data 256 │
//	zeros to 1,008 bytes │ MAC 16
//
// It is sealed by XChaCha20-Poly1305. The associated data are version, protocol id and expiry.
type privateToken struct {
	clientID                       uint64
	timeout                        int32
	servers                        addresses
	clientToServer, serverToClient Key
	userData                       [UserDataSize]byte
}

const privatePlain = privateSize - macSize

// newTokenCipher returns the cipher of private tokens.
func newTokenCipher(key Key) cipher.AEAD {
	aead, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		panic(err) // in FIPS 140-only mode, as the key has the right length
	}
	return aead
}

// appendTokenData appends the associated data of a private token.
func appendTokenData(dst []byte, protocolID, expire uint64) []byte {
	dst = append(dst, version...)
	dst = binary.LittleEndian.AppendUint64(dst, protocolID)
	return binary.LittleEndian.AppendUint64(dst, expire)
}

func (t *privateToken) seal(dst *[privateSize]byte, aead cipher.AEAD, protocolID, expire uint64, nonce []byte) {
	b := t.appendPlain(dst[:0])
	aead.Seal(b[:0], nonce, b, appendTokenData(nil, protocolID, expire))
}

// appendPlain appends the plaintext of the token, padded with zeros.
func (t *privateToken) appendPlain(dst []byte) []byte {
	end := len(dst) + privatePlain
	dst = binary.LittleEndian.AppendUint64(dst, t.clientID)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(t.timeout))
	dst = appendAddresses(dst, t.servers.slice())
	dst = append(dst, t.clientToServer[:]...)
	dst = append(dst, t.serverToClient[:]...)
	dst = append(dst, t.userData[:]...)
	return append(dst, make([]byte, end-len(dst))...)
}

// parse reads the plaintext of a token. It ignores bytes after the user data.
func (t *privateToken) parse(b []byte) bool {
	if len(b) < 8+4+addressesSize+2*KeySize+UserDataSize {
		return false
	}
	t.clientID = binary.LittleEndian.Uint64(b)
	t.timeout = int32(binary.LittleEndian.Uint32(b[8:]))
	rest, ok := t.servers.parse(b[12:])
	if !ok {
		return false
	}
	t.clientToServer, rest = Key(rest), rest[KeySize:]
	t.serverToClient, rest = Key(rest), rest[KeySize:]
	t.userData = [UserDataSize]byte(rest)
	return true
}
