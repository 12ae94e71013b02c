package netsys

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"hash/crc32"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the test vectors to testdata")

const handshakeVectorFile = "testdata/handshake.json"

// wireVectors are the datagrams of a handshake and a session, for who implements the
// format: docs/wire-format.md.
type wireVectors struct {
	Lines     []string // of the protocol
	Token     uint64   `json:",string"` // of the session
	Datagrams []wireVector
}

// wireVector is a datagram. Of its fields, those of its type have a meaning.
type wireVector struct {
	Name    string
	Type    uint8
	Nonce   uint64   `json:",string,omitempty"`
	Version uint16   `json:",omitempty"`
	Schema  uint64   `json:",string,omitempty"`
	Hashes  []uint32 `json:",omitempty"` // of the lines
	Tag     uint64   `json:",string,omitempty"`
	ID      uint64   `json:",string,omitempty"`
	Token   uint64   `json:",string,omitempty"`
	Reason  uint8    `json:",omitempty"`
	Line    uint16   `json:",omitempty"`
	Seq     uint16   `json:",omitempty"`
	Ack     uint16   `json:",omitempty"`
	AckBits uint32   `json:",omitempty"`
	Delay   uint16   `json:",omitempty"`
	Payload string   `json:",omitempty"` // in hexadecimal
	Zeros   int      `json:",omitempty"` // behind the bytes of Hex
	Hex     string
}

// bytes writes the datagram anew.
func (v *wireVector) bytes(t *testing.T, token uint64) []byte {
	t.Helper()
	payload, err := hex.DecodeString(v.Payload)
	if err != nil {
		t.Fatal(err)
	}
	switch v.Type {
	case kindHello:
		h := hello{version: v.Version, nonce: v.Nonce, schema: v.Schema, lines: len(v.Hashes), tag: v.Tag}
		copy(h.hashes[:], v.Hashes)
		return appendHello(nil, &h)
	case kindWelcome:
		return appendWelcome(nil, welcome{v.Nonce, v.ID, v.Token, payload})
	case kindRefused:
		return appendRefused(nil, refused{v.Nonce, refusedReason(v.Reason), v.Line, payload})
	}
	return appendPacket(nil, newSeal(token), header{v.Type, v.Seq, v.Ack, v.AckBits, v.Delay}, payload)
}

// parse reads a datagram; name and bytes are left out.
func parseVector(t *testing.T, b []byte, token uint64) (v wireVector) {
	t.Helper()
	var drop DropReason
	var payload []byte
	switch v.Type = b[0]; v.Type {
	case kindHello:
		var h hello
		drop = parseHello(b, &h)
		v.Version, v.Nonce, v.Schema, v.Tag = h.version, h.nonce, h.schema, h.tag
		v.Hashes = append(v.Hashes, h.hashes[:h.lines]...)
	case kindWelcome:
		var w welcome
		w, drop = parseWelcome(b)
		v.Nonce, v.ID, v.Token, payload = w.nonce, w.id, w.token, w.payload
	case kindRefused:
		var r refused
		r, drop = parseRefused(b)
		v.Nonce, v.Reason, v.Line, payload = r.nonce, uint8(r.reason), r.line, r.text
	default:
		var h header
		h, payload, drop = parsePacket(b, newSeal(token))
		v.Seq, v.Ack, v.AckBits, v.Delay = h.seq, h.ack, h.bits, h.delay
	}
	if drop != DropNone {
		t.Fatalf("%x: %v", b, drop)
	}
	v.Payload = hex.EncodeToString(payload)
	return v
}

func makeWireVectors(t *testing.T) *wireVectors {
	v := &wireVectors{
		Lines: []string{
			"protocol dots/1",
			"replicate predicted interpolated Place{X float32 -512..512 step 0.01; Y float32 -512..512 step 0.01}",
			"input Push{DX int8 -1..1; DY int8 -1..1; Fire bool edge}",
		},
		Token: 0x1122334455667788,
	}
	s := newSchema(v.Lines)
	const nonce = 0x0102030405060708
	// The welcome of package systems: seed 7, 60 ticks, 20 sends, tick 300, nothing trained.
	const greeting = "07000000000000003c0014002c0100000000000000000000"
	v.Datagrams = []wireVector{
		{Name: "hello", Type: kindHello, Nonce: nonce, Version: wireVersion, Schema: s.hash, Hashes: s.hashes[:len(v.Lines)], Tag: 0xfeed},
		{Name: "welcome", Type: kindWelcome, Nonce: nonce, ID: 3, Token: v.Token, Payload: greeting},
		{Name: "refused: the second line differs", Type: kindRefused, Nonce: nonce, Reason: uint8(refusedSchema), Line: 1, Payload: hex.EncodeToString([]byte("replicate Place{X float32 raw}"))},
		{Name: "refused: full", Type: kindRefused, Nonce: nonce, Reason: uint8(refusedFull)},
		{Name: "keep-alive, nothing received yet", Type: kindKeepAlive, Delay: nothingHeard},
		{Name: "data", Type: kindData, Seq: 65535, Ack: 258, AckBits: 0x80000005, Delay: 80, Payload: "01000000010001000000"},
		{Name: "disconnect: left", Type: kindDisconnect, Seq: 2, Ack: 259, AckBits: 0xffffffff, Delay: 1, Payload: "00"},
	}
	for i := range v.Datagrams {
		d := &v.Datagrams[i]
		b := d.bytes(t, v.Token)
		short := b
		if d.Type == kindHello {
			short = bytes.TrimRight(b, "\x00")
		}
		d.Hex, d.Zeros = hex.EncodeToString(short), len(b)-len(short)
	}
	return v
}

// The committed datagrams are read as what is written beside them, and written as they
// are; checksums and hashes are those that the document describes.
func TestWireVectors(t *testing.T) {
	if *update {
		file, err := json.Marshal(makeWireVectors(t))
		if err != nil {
			t.Fatal(err)
		}
		file = bytes.ReplaceAll(file, []byte(`{"Name"`), []byte("\n"+`{"Name"`))
		if err := os.WriteFile(handshakeVectorFile, append(file, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(handshakeVectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var v wireVectors
	if err := json.Unmarshal(file, &v); err != nil {
		t.Fatal(err)
	}
	kinds := map[uint8]bool{}
	for _, d := range v.Datagrams {
		b, err := hex.DecodeString(d.Hex)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, make([]byte, d.Zeros)...)
		if again := d.bytes(t, v.Token); !bytes.Equal(again, b) {
			t.Errorf("%s: written as %x", d.Name, again)
		}
		got := parseVector(t, b, v.Token)
		got.Name, got.Zeros, got.Hex = d.Name, d.Zeros, d.Hex
		a, _ := json.Marshal(got)
		want, _ := json.Marshal(d)
		if !bytes.Equal(a, want) {
			t.Errorf("%s: read as %s, not %s", d.Name, a, want)
		}
		covered := append(binary.LittleEndian.AppendUint64(nil, v.Token), b[0])
		if d.Type < kindData {
			covered = covered[8:]
		}
		covered = append(covered, b[5:]...)
		if sum := crc32.Checksum(covered, crc32.MakeTable(crc32.Castagnoli)); sum != binary.LittleEndian.Uint32(b[1:]) {
			t.Errorf("%s: checksum %08x", d.Name, sum)
		}
		kinds[d.Type] = true
		if d.Type == kindHello {
			checkLines(t, v.Lines, &d)
		}
	}
	if len(kinds) != int(kindDisconnect) {
		t.Errorf("types %v", kinds)
	}
}

// checkLines compares the hashes of a Hello with those of the lines.
func checkLines(t *testing.T, lines []string, d *wireVector) {
	var all []byte
	for i, line := range lines {
		one := sha256.Sum256([]byte(line))
		if h := binary.LittleEndian.Uint32(one[:]); h != d.Hashes[i] {
			t.Errorf("line %d has the hash %d", i, h)
		}
		all = append(binary.LittleEndian.AppendUint64(all, uint64(len(line))), line...)
	}
	sum := sha256.Sum256(all)
	if h := binary.LittleEndian.Uint64(sum[:]); h != d.Schema {
		t.Errorf("the lines have the hash %d", h)
	}
}
