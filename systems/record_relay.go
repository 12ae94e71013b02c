package systems

import (
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/recording"
)

// relayRecording records relayed inputs and states of the world.
type relayRecording struct {
	from    *relay.Recorder
	to      *recording.Writer
	channel int
	seq     *uint16 // of the next datagram
	begin   func()  // starts a segment
	now     time.Time
	packet  []byte // scratch
}

func (r *relayRecording) init(to *recording.Writer, c channel.Config, seq *uint16, begin func()) {
	number, _ := relay.BulkChannel(c)
	*r = relayRecording{to: to, channel: number, seq: seq, begin: begin}
}

// write records the new inputs and states.
func (r *relayRecording) write(now time.Time) {
	r.now = now
	if err := r.from.Write(r.to.Due(now), r); err != nil {
		r.to.Fail(err)
	}
}

func (r *relayRecording) Begin() { r.begin() }

func (r *relayRecording) Reliable(message []byte, begins bool) {
	r.packet = relay.AppendMessage(r.packet[:0], message)
	r.to.Message(r.now, r.channel, r.packet, begins)
}

func (r *relayRecording) Datagram(message []byte, begins bool) {
	r.packet = append(append(r.packet[:0], relay.Kind), message...)
	r.to.Datagram(r.now, *r.seq, r.packet, begins)
	*r.seq++
}
