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
		p.renew()
		p.merge(f)
		s.encode(w, p, f)
		s.stats.Updates++
	}
}

// packetRoom is what own state and entities may take of a packet: 16 bytes go to
// the frame's coder byte and to what the entities of a packet share.
const packetRoom = netsys.MaxPayload - snapshotHeaderSize - 16

// encode queues the packets of one client's snapshot: own state first, the
// entities behind it.
func (s *Server) encode(w *ecs.World, p *peer, f *frame) {
	sn := &s.snapshots
	sn.captures.packed = sn.captures.packed[:0]
	head := snapshotHeader{
		epoch: p.epoch,
		send:  uint16(f.send),
		tick:  f.tick,
		input: uint16(p.inputs.expected - 1),
		depth: p.inputs.depth(),
		shift: p.inputs.slack.units(),
	}
	p.promise(f.send)
	head.floor = uint8(f.send - p.floor)
	sn.entities = sn.entities[:0]
	for at := 0; ; {
		sn.own, at = s.appendOwn(sn.own[:0], w, p, f, at)
		head.own = len(sn.own)
		if at == len(f.ids) {
			break
		}
		s.queuePacket(p, f, &head)
	}
	left := packetRoom - head.own
	i := 0
	for k := range p.known {
		if p.known[k].buried != 0 {
			continue
		}
		e := s.entity(p, k, f, &i)
		size := sn.encoder.Size(sn.captures.layout, &e)
		if size > left && (len(sn.entities) > 0 || head.own > 0) {
			s.queuePacket(p, f, &head)
			head.own, sn.own, sn.entities = 0, sn.own[:0], sn.entities[:0]
			left = packetRoom
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
	e.Op = codec.OpFull
	e.Mask, e.Cur = s.snapshots.captures.seen(f, at, p.id)
	b := s.snapshots.captures.at(kn.base)
	if b == nil || f.send-kn.base > maxAge {
		return e
	}
	j := b.find(kn.id)
	if j < 0 {
		return e
	}
	mask, base := s.snapshots.captures.seen(b, j, p.id)
	if mask != e.Mask {
		return e
	}
	e.Base, e.Age, e.Op = base, f.send-kn.base, codec.OpSame
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
// full precision, as many as a packet holds: what the client predicted is
// compared with exactly this. It goes through the frame from place at, and
// returns the place to go on from.
func (s *Server) appendOwn(dst []byte, w *ecs.World, p *peer, f *frame, at int) ([]byte, int) {
	for i := at; i < len(f.ids); i++ {
		if f.owners[i] != p.id {
			continue
		}
		id := f.ids[i]
		mask := f.masks[i] & s.predicted
		e, ok := w.ByNetID(netID(id))
		if !ok || mask == 0 {
			continue
		}
		size := codec.UvarintLen(uint64(id)) + codec.UvarintLen(mask) + s.rawSize(mask)
		if len(dst)+size > packetRoom && len(dst) > 0 {
			return dst, i
		}
		dst = codec.AppendUvarint(dst, uint64(id))
		dst = codec.AppendUvarint(dst, mask)
		for _, c := range s.replicated {
			if mask&(1<<c.Replicated()) != 0 {
				dst = c.Schema.AppendRaw(dst, w.Pointer(e, c))
			}
		}
	}
	return dst, len(f.ids)
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
