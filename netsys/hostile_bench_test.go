package netsys_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// hostilePacket is a packet of a session, or with kind 0 a datagram outside of it.
type hostilePacket struct {
	kind byte
	body []byte
}

// hostilePackets returns packets of every type in docs/spec/wire-format.md, by name, as a client can send them after its hello.
func hostilePackets(hello []byte) map[string]hostilePacket {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
		return b
	}
	const most = netsys.MaxPayload
	request := random(1078)
	copy(request, append(append([]byte{0}, "NETCODE 1.02\x00"...), binary.LittleEndian.AppendUint64(nil, netsys.DefaultProtocolID)...))
	return map[string]hostilePacket{
		"garbage":         {0, random(1200)},
		"garbage=payload": {0, append([]byte{0x25}, random(1199)...)},
		"garbage=request": {0, request},
		"hello=again":     {helloKind, hello[1:]},
		"hello=random":    {helloKind, random(most)},
		"welcome":         {welcomeKind, random(most)},
		"refused":         {refusedKind, random(most)},
		"datagram":        {datagramKind, random(most)},
		"datagram=empty":  {datagramKind, nil},
		"both":            {bothKind, append(binary.LittleEndian.AppendUint16(nil, 500), random(most-2)...)},
		"both=random":     {bothKind, random(most)},
		"channels=empty":  {channelsKind, nil},
		"channels=random": {channelsKind, random(most)},
		"channels=pieces": {channelsKind, append([]byte{1<<5 | 1, 0, 0, 200, 1, 0, 0}, random(most-7)...)},
		"channels=zeros":  {channelsKind, make([]byte, most)},
		"channels=ones":   {channelsKind, bytes.Repeat([]byte{255}, most)},
		"close=random":    {closeKind, random(most)},
		"challenge":       {challengeKind, random(8)},
		"answer":          {answerKind, random(8)},
		"unknown":         {99, random(most)},
	}
}

// idleHandler does nothing.
type idleHandler struct{}

func (idleHandler) Connected(time.Time, netsys.Session)               {}
func (idleHandler) Received(time.Time, netsys.Session, netsys.Packet) {}
func (idleHandler) Message(time.Time, netsys.Session, int, []byte)    {}
func (idleHandler) Acked(netsys.Session, uint16)                      {}
func (idleHandler) Disconnected(time.Time, netsys.Session, error)     {}

// BenchmarkHostileBytes measures the server's work for each byte of a packet, with decryption and with the rest of a poll: ns/byte. A
// message of the game costs more in package systems, whose BenchmarkHostileBytes measures that.
func BenchmarkHostileBytes(b *testing.B) {
	packets := hostilePackets(helloOf(b, netsys.ClientConfig{}))
	for _, name := range slices.Sorted(maps.Keys(packets)) {
		x := packets[name]
		b.Run(name, func(b *testing.B) {
			s := newStage(b, netsys.ServerConfig{})
			r, id, sent := s.intrude(1), uint64(1), 0
			for b.Loop() {
				b.StopTimer()
				if s.now = s.now.Add(2 * time.Millisecond); s.server.Len() == 0 { // it has broken the protocol too often
					id++
					r = s.intrude(id % 200)
				}
				if r.poll(); x.kind == 0 {
					sent += len(x.body)
					must(b, r.node.Send(s.now, s.addr, x.body))
				} else {
					sent += 11 + len(x.body)
					r.send(x.kind, x.body)
				}
				b.StartTimer()
				s.server.Poll(s.now, idleHandler{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(sent), "ns/byte")
		})
	}
}

// The benchmark has packets of every type of a session.
func TestHostilePacketsOfEveryType(t *testing.T) {
	kinds := map[byte]bool{}
	for _, x := range hostilePackets(helloOf(t, netsys.ClientConfig{})) {
		kinds[x.kind] = true
	}
	for kind := byte(helloKind); kind <= answerKind; kind++ {
		if !kinds[kind] {
			t.Errorf("no packet of type %d", kind)
		}
	}
}
