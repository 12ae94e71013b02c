package netsys

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the test vectors to testdata")

const handshakeVectorFile = "testdata/handshake.json"

// wireVectors are the packets of a handshake and a session, as payloads of netcode, for other implementations of
// docs/spec/wire-format.md.
type wireVectors struct {
	Lines   []string // that are compared
	Packets []wireVector
}

// wireVector is a packet. Of its fields, those of its kind have a meaning.
type wireVector struct {
	Name     string
	Kind     uint8
	Version  uint16   `json:",omitempty"`
	Schema   uint64   `json:",string,omitempty"`
	Hashes   []uint32 `json:",omitempty"` // of the lines
	Tag      uint64   `json:",string,omitempty"`
	Role     uint8    `json:",omitempty"`
	Login    string   `json:",omitempty"` // in hexadecimal
	ID       uint64   `json:",string,omitempty"`
	Reason   uint8    `json:",omitempty"`
	Line     uint16   `json:",omitempty"`
	Seq      uint16   `json:",omitempty"`
	Ack      uint16   `json:",omitempty"`
	AckBits  uint32   `json:",omitempty"`
	Delay    uint16   `json:",omitempty"`
	Payload  string   `json:",omitempty"` // in hexadecimal, as all that follow
	Channels string   `json:",omitempty"`
	Path     uint64   `json:",string,omitempty"`
	Hex      string
}

// bytes encodes the packet again.
func (v *wireVector) bytes(t *testing.T) []byte {
	t.Helper()
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		must(t, err)
		return b
	}
	payload := unhex(v.Payload)
	switch v.Kind {
	case kindHello:
		h := hello{version: v.Version, schema: v.Schema, lines: len(v.Hashes), tag: v.Tag, role: v.Role, login: unhex(v.Login)}
		copy(h.hashes[:], v.Hashes)
		return appendHello(nil, &h)
	case kindWelcome:
		return appendWelcome(nil, welcome{v.ID, payload})
	case kindRefused:
		return appendRefused(nil, refused{refusedReason(v.Reason), v.Line, payload})
	}
	return appendPacket(nil, header{v.Kind, v.Seq, v.Ack, v.AckBits, v.Delay},
		body{payload: payload, channels: unhex(v.Channels), reason: Reason(v.Reason), path: v.Path})
}

// parseVector reads a packet; name and bytes are left out.
func parseVector(t *testing.T, b []byte) (v wireVector) {
	t.Helper()
	var drop DropReason
	switch v.Kind = b[0]; v.Kind {
	case kindHello:
		var h hello
		drop = parseHello(b, &h)
		v.Version, v.Schema, v.Tag, v.Role, v.Login = h.version, h.schema, h.tag, h.role, hex.EncodeToString(h.login)
		v.Hashes = append(v.Hashes, h.hashes[:h.lines]...)
	case kindWelcome:
		var w welcome
		w, drop = parseWelcome(b)
		v.ID, v.Payload = w.id, hex.EncodeToString(w.payload)
	case kindRefused:
		var r refused
		r, drop = parseRefused(b)
		v.Reason, v.Line, v.Payload = uint8(r.reason), r.line, hex.EncodeToString(r.text)
	default:
		var h header
		var in body
		h, in, drop = parsePacket(b)
		v.Seq, v.Ack, v.AckBits, v.Delay = h.seq, h.ack, h.bits, h.delay
		v.Payload, v.Channels = hex.EncodeToString(in.payload), hex.EncodeToString(in.channels)
		v.Reason, v.Path = uint8(in.reason), in.path
	}
	if drop != DropNone {
		t.Fatalf("%x: %v", b, drop)
	}
	return v
}

func makeWireVectors(t *testing.T) *wireVectors {
	v := &wireVectors{
		Lines: append(ServerConfig{}.Channels.Lines(),
			"protocol dots/1",
			"replicate predicted interpolated Place{X float32 -512..512 step 0.01; Y float32 -512..512 step 0.01}",
			"input Push{DX int8 -1..1; DY int8 -1..1; Fire bool edge}"),
	}
	s := newSchema(nil, v.Lines)
	// The welcome of package systems: seed 7, 60 ticks, 20 sends, tick 300, nothing trained.
	const greeting = "07000000000000003c0014002c0100000000000000000000"
	v.Packets = []wireVector{
		{Name: "hello", Kind: kindHello, Version: WireVersion, Schema: s.hash, Hashes: s.hashes[:len(v.Lines)], Tag: 0xfeed},
		// The login of package systems: 3 letters of 12, "Ada", and team 2.
		{Name: "hello of Ada of team 2", Kind: kindHello, Version: WireVersion, Schema: s.hash, Hashes: s.hashes[:len(v.Lines)], Login: "03" + "416461" + strings.Repeat("00", 9) + "02"},
		{Name: "hello of a spectator", Kind: kindHello, Version: WireVersion, Schema: s.hash, Hashes: s.hashes[:len(v.Lines)], Role: roleSpectator},
		{Name: "welcome", Kind: kindWelcome, ID: 3, Payload: greeting},
		{Name: "refused: the eighth line differs", Kind: kindRefused, Reason: uint8(refusedSchema), Line: 7, Payload: hex.EncodeToString([]byte("replicate Place{X float32 raw}"))},
		{Name: "refused: nobody any more", Kind: kindRefused, Reason: uint8(refusedClosing)},
		{Name: "refused: the login", Kind: kindRefused, Reason: uint8(refusedLogin), Line: unknownLine, Payload: hex.EncodeToString([]byte("you are banned until Friday"))},
		{Name: "refused: busy", Kind: kindRefused, Reason: uint8(refusedBusy)},
		{Name: "refused: full", Kind: kindRefused, Reason: uint8(refusedFull)},
		{Name: "keep-alive, nothing received yet", Kind: kindChannels, Delay: nothingHeard},
		{Name: "datagram", Kind: kindDatagram, Seq: 65535, Ack: 258, AckBits: 0x80000005, Delay: 80, Payload: "01000000010001000000"},
		{Name: "datagram, and a message of 2 bytes on channel 0", Kind: kindBoth, Seq: 0, Ack: 258, AckBits: 0x80000005, Delay: 96, Payload: "0100", Channels: eventOf(t, "hi")},
		{Name: "a message on channel 0", Kind: kindChannels, Seq: 1, Ack: 259, AckBits: 7, Delay: 3, Channels: eventOf(t, "hello")},
		{Name: "close: left", Kind: kindClose, Seq: 2, Ack: 259, AckBits: 0xffffffff, Delay: 1, Reason: uint8(ReasonLeft)},
		{Name: "close: kicked", Kind: kindClose, Seq: 3, Delay: nothingHeard, Reason: uint8(ReasonKicked)},
		{Name: "close: away", Kind: kindClose, Seq: 4, Delay: nothingHeard, Reason: uint8(ReasonAway)},
		{Name: "challenge", Kind: kindChallenge, Seq: 4, Ack: 300, AckBits: 1, Delay: 2, Path: 0x1122334455667788},
		{Name: "answer", Kind: kindAnswer, Seq: 301, Ack: 4, Delay: 0, Path: 0x1122334455667788},
	}
	for i := range v.Packets {
		v.Packets[i].Hex = hex.EncodeToString(v.Packets[i].bytes(t))
	}
	return v
}

// eventOf returns the channels' data of a first message on channel 0.
func eventOf(t *testing.T, text string) string {
	e := newChannels(ServerConfig{}.Channels)
	must(t, e.Send(0, []byte(text)))
	return hex.EncodeToString(e.Fill(epoch, 0, nil, 1000))
}

// TestWireVectors holds the packets of testdata, which other implementations are tested with, against this one.
func TestWireVectors(t *testing.T) {
	if *update {
		v := makeWireVectors(t)
		text, err := json.Marshal(v)
		must(t, err)
		text = bytes.ReplaceAll(text, []byte(`{"Name"`), []byte("\n{\"Name\""))
		must(t, os.WriteFile(handshakeVectorFile, append(text, '\n'), 0o644))
	}
	text, err := os.ReadFile(handshakeVectorFile)
	must(t, err)
	var v wireVectors
	must(t, json.Unmarshal(text, &v))
	kinds := map[uint8]bool{}
	for _, d := range v.Packets {
		b, err := hex.DecodeString(d.Hex)
		must(t, err)
		if again := d.bytes(t); !bytes.Equal(again, b) {
			t.Errorf("%s: written as %x", d.Name, again)
		}
		got := parseVector(t, b)
		got.Name, got.Hex = d.Name, d.Hex
		a, _ := json.Marshal(got)
		want, _ := json.Marshal(d)
		if !bytes.Equal(a, want) {
			t.Errorf("%s: read as %s, not %s", d.Name, a, want)
		}
		kinds[d.Kind] = true
		if d.Kind == kindHello {
			checkLines(t, v.Lines, &d)
		}
	}
	if len(kinds) != int(kindAnswer) {
		t.Errorf("kinds %v", kinds)
	}
}

// checkLines compares the hashes of a hello with those of the lines.
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
