package netcode

import (
	"bytes"
	"crypto/cipher"
	"encoding/hex"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

// golden reads a vector that testdata/vectors/make.py wrote, with libsodium and without this package.
func golden(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors/" + name + ".hex")
	must(t, err)
	b, err := hex.DecodeString(strings.ReplaceAll(string(text), "\n", ""))
	must(t, err)
	return b
}

// ramp is n bytes that count from first.
func ramp(first, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(first + i)
	}
	return b
}

const (
	goldenCreate, goldenExpire = 1700000000, 1700000045
	goldenClient               = 0x8877665544332211
)

var (
	goldenKey            = Key(ramp(0, 32))
	goldenClientToServer = Key(ramp(32, 32))
	goldenServerToClient = Key(ramp(64, 32))
	goldenChallengeKey   = Key(ramp(96, 32))
	goldenServers        = []netip.AddrPort{
		netip.MustParseAddrPort("192.0.2.10:40000"),
		netip.MustParseAddrPort("[2001:db8::17:aabb]:50001"),
		netip.MustParseAddrPort("203.0.113.255:65535"),
	}
)

func goldenUserData() (b [UserDataSize]byte) {
	for i := range b {
		b[i] = byte(255 - i)
	}
	return b
}

// goldenToken issues the token of the vectors: its random bytes are the keys and the nonce that the vectors have.
func goldenToken(t testing.TB) *ConnectToken {
	t.Helper()
	user := goldenUserData()
	random := append(ramp(32, 64), ramp(128, 24)...)
	token, err := TokenConfig{
		Key:        goldenKey,
		ProtocolID: testProtocol,
		ClientID:   goldenClient,
		Servers:    goldenServers,
		Lifetime:   (goldenExpire - goldenCreate) * time.Second,
		Timeout:    10 * time.Second,
		UserData:   user[:],
		Random:     func(b []byte) { random = random[copy(b, random):] },
	}.Issue(time.Unix(goldenCreate, 0))
	must(t, err)
	return token
}

func TestGoldenVectors(t *testing.T) {
	user := goldenUserData()
	challenge := newChallenges(&goldenChallengeKey)
	challenge.next = 5
	body := challenge.append(nil, goldenClient, &user)
	up := newDirection(&goldenClientToServer)
	down := newDirection(&goldenServerToClient)
	token := goldenToken(t)
	for _, c := range []struct {
		name string
		got  []byte
	}{
		{"token", token.Append(nil)},
		{"request", request(token)},
		{"denied", down.sealed(kindDenied, 1<<63, nil)},
		{"challenge", down.sealed(kindChallenge, 1<<63+1, body)},
		{"response", up.sealed(kindResponse, 0, body)},
		{"keepalive", down.sealed(kindKeepAlive, 255, []byte{3, 0, 0, 0, 0, 1, 0, 0})},
		{"payload", up.sealed(kindPayload, 256, ramp(0, MaxPayload))},
		{"payload_short", up.sealed(kindPayload, 1<<64-1, []byte("x"))},
		{"disconnect", up.sealed(kindDisconnect, 0x12345678, nil)},
	} {
		if want := golden(t, c.name); !bytes.Equal(c.got, want) {
			t.Errorf("%s:\n got %x\nwant %x", c.name, c.got, want)
		}
	}
}

func TestGoldenVectorsAreRead(t *testing.T) {
	token, err := ParseToken(golden(t, "token"))
	must(t, err)
	if token.ProtocolID != testProtocol || token.Create != goldenCreate || token.Expire != goldenExpire || token.Timeout != 10 ||
		token.ClientToServer != goldenClientToServer || token.ServerToClient != goldenServerToClient {
		t.Errorf("token reads as %+v", token)
	}
	for i, a := range goldenServers {
		if token.Servers[i] != a {
			t.Errorf("server %d is %v, not %v", i, token.Servers[i], a)
		}
	}
	sealed := golden(t, "request")[requestSize-privateSize:]
	plain, err := newTokenCipher(goldenKey).Open(nil, token.Nonce[:], sealed, appendTokenData(nil, testProtocol, goldenExpire))
	must(t, err)
	var private privateToken
	if !private.parse(plain) || private.clientID != goldenClient || private.timeout != 10 || private.userData != goldenUserData() ||
		!private.servers.containsAny(goldenServers[2:]) {
		t.Errorf("private token reads as %+v", private)
	}
	for _, c := range []struct {
		name     string
		key      Key
		kind     uint8
		sequence uint64
		size     int
	}{
		{"denied", goldenServerToClient, kindDenied, 1 << 63, 0},
		{"challenge", goldenServerToClient, kindChallenge, 1<<63 + 1, 308},
		{"response", goldenClientToServer, kindResponse, 0, 308},
		{"keepalive", goldenServerToClient, kindKeepAlive, 255, 8},
		{"payload", goldenClientToServer, kindPayload, 256, 1200},
		{"payload_short", goldenClientToServer, kindPayload, 1<<64 - 1, 1},
		{"disconnect", goldenClientToServer, kindDisconnect, 0x12345678, 0},
	} {
		b := golden(t, c.name)
		h, drop := parseHeader(b, 1<<c.kind)
		if drop != DropNone || h.kind != c.kind || h.sequence != c.sequence {
			t.Errorf("%s: header reads as %+v, %v", c.name, h, drop)
		}
		d := newDirection(&c.key)
		body, ok := d.opened(h, b)
		if !ok || len(body) != c.size || !bodyFits(c.kind, len(body)) {
			t.Errorf("%s: %v, %d bytes", c.name, ok, len(body))
		}
		if c.kind == kindResponse {
			challenges := newChallenges(&goldenChallengeKey)
			if sequence, id, ok := challenges.open(body); !ok || sequence != 5 || id != goldenClient {
				t.Errorf("challenge token reads as %d, %x, %v", sequence, id, ok)
			}
		}
	}
}

// The vectors that define the two ciphers: RFC 8439, section 2.8.2, and draft-irtf-cfrg-xchacha-03, appendix A.3.1.
func TestCiphers(t *testing.T) {
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		must(t, err)
		return b
	}
	plain := []byte("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.")
	data, key := unhex("50515253c0c1c2c3c4c5c6c7"), ramp(0x80, 32)
	for _, c := range []struct {
		name  string
		make  func([]byte) (cipher.AEAD, error)
		nonce []byte
		want  string
	}{
		{"ChaCha20-Poly1305", chacha20poly1305.New, unhex("070000004041424344454647"),
			"d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b" +
				"1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc" +
				"3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691"},
		{"XChaCha20-Poly1305", chacha20poly1305.NewX, ramp(0x40, 24),
			"bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39" +
				"ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9" +
				"21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49"},
	} {
		aead, err := c.make(key)
		must(t, err)
		if got := aead.Seal(nil, c.nonce, plain, data); !bytes.Equal(got, unhex(c.want)) {
			t.Errorf("%s: %x", c.name, got)
		}
	}
}
