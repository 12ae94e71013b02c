package systems

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// snapshots turns the world into packets, one state a send and client.
type snapshots struct {
	captures   *captures
	encoder    codec.Encoder
	compressor *codec.Compressor
	entities   []codec.Entity
	plain      []byte
	own        []byte
}

// snapshot is the system Snapshot: it captures the world when a send is due and
// encodes what each client does not have, relative to what that client has
// acknowledged, entity by entity.
func (s *Server) snapshot(w *ecs.World) {
	if s.tick/s.sendEvery == s.sentAt {
		return
	}
	s.sentAt = s.tick / s.sendEvery
	f := s.snapshots.captures.take(s.tick)
	for _, p := range s.peers {
		p.merge(f)
		s.encode(w, p, f)
		s.stats.Updates++
	}
}

// encode queues the packets of one client's snapshot.
func (s *Server) encode(w *ecs.World, p *peer, f *frame) {
	sn := &s.snapshots
	head := snapshotHeader{
		epoch: p.epoch,
		send:  uint16(f.send),
		tick:  f.tick,
		input: uint16(p.inputs.expected - 1),
		depth: uint8(min(p.inputs.waiting(), 255)),
		shift: p.inputs.slack.units(),
	}
	p.promise(f.send)
	head.floor = uint8(f.send - p.floor)
	sn.own = s.appendOwn(sn.own[:0], w, p, f)
	head.own = len(sn.own)

	sn.entities = sn.entities[:0]
	const frameOverhead = 16 // coder byte, entity count and the packet's shared columns
	room := func() int { return netsys.MaxPayload - snapshotHeaderSize - head.own - frameOverhead }
	left := room()
	i := 0
	for k := range p.known {
		e := s.entity(p, k, f, &i)
		size := sn.encoder.Size(sn.captures.layout, &e)
		if size > left && len(sn.entities) > 0 {
			s.queuePacket(p, f, &head)
			head.own, sn.own, sn.entities = 0, sn.own[:0], sn.entities[:0]
			left = room()
		}
		left -= size
		sn.entities = append(sn.entities, e)
	}
	s.queuePacket(p, f, &head)
}

// entity describes the k-th known entity of p against its baseline; i runs
// through the frame alongside.
func (s *Server) entity(p *peer, k int, f *frame, i *int) (e codec.Entity) {
	kn := p.known[k]
	e.ID = kn.id
	if kn.gone {
		e.Op = codec.OpGone
		return e
	}
	at := *i
	*i++
	e.Mask, e.Cur, e.Op = f.masks[at], f.record(at), codec.OpFull
	b := s.snapshots.captures.at(kn.base)
	if b == nil || f.send-kn.base > maxAge {
		return e
	}
	j := b.find(kn.id)
	if j < 0 || b.masks[j] != e.Mask {
		return e
	}
	e.Base, e.Age, e.Op = b.record(j), f.send-kn.base, codec.OpSame
	for n, v := range e.Cur {
		if v != e.Base[n] {
			e.Op = codec.OpDelta
			break
		}
	}
	return e
}

// queuePacket appends a packet of sn.entities to the client's queue.
func (s *Server) queuePacket(p *peer, f *frame, h *snapshotHeader) {
	sn := &s.snapshots
	sp := span{send: f.send, first: 1}
	if n := len(sn.entities); n > 0 {
		sp.first, sp.last = sn.entities[0].ID, sn.entities[n-1].ID
	}
	p.spans = append(p.spans, sp)
	n := len(p.queue)
	if n < cap(p.queue) {
		p.queue = p.queue[:n+1]
	} else {
		p.queue = append(p.queue, make([]byte, 0, netsys.MaxPayload))
	}
	b := appendSnapshotHeader(p.queue[n][:0], h)
	b = append(b, sn.own...)
	sn.plain = sn.encoder.Append(sn.plain[:0], sn.captures.layout, sn.entities)
	p.queue[n] = sn.compressor.Append(b, sn.plain)
}

// appendOwn writes the predicted components of the client's own entities at
// full precision: what it predicted is compared with exactly this.
func (s *Server) appendOwn(dst []byte, w *ecs.World, p *peer, f *frame) []byte {
	for i, id := range f.ids {
		if f.owners[i] != p.id {
			continue
		}
		mask := f.masks[i] & s.predicted
		e, ok := w.ByNetID(netID(id))
		if !ok || mask == 0 {
			continue
		}
		size := codec.UvarintLen(uint64(id)) + codec.UvarintLen(mask) + s.rawSize(mask)
		if len(dst)+size > netsys.MaxPayload/2 {
			break // more own entities than half a packet holds wait for their quantized state
		}
		dst = codec.AppendUvarint(dst, uint64(id))
		dst = codec.AppendUvarint(dst, mask)
		for _, c := range s.replicated {
			if mask&(1<<c.Replicated()) != 0 {
				dst = c.Schema.AppendRaw(dst, w.Pointer(e, c))
			}
		}
	}
	return dst
}

func (s *Server) rawSize(mask uint64) int {
	n := 0
	for _, c := range s.replicated {
		if mask&(1<<c.Replicated()) != 0 {
			n += c.Schema.RawSize()
		}
	}
	return n
}

// send is the system Send: it hands the tick's packets to the sessions and
// remembers what each held.
func (s *Server) send(*ecs.World) {
	for _, p := range s.peers {
		for i, b := range p.queue {
			seq, err := p.session.Send(s.now, b)
			if err != nil {
				s.stats.SendErrors++
				continue
			}
			p.remember(seq, p.spans[i])
		}
		p.queue, p.spans = p.queue[:0], p.spans[:0]
	}
}
