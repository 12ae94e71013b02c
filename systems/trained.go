package systems

import (
	"log/slog"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/capture"
)

// What coders learned of a game's traffic makes snapshots smaller where both sides
// have the same. The client's hash is the tag of its Hello, the server's comes in
// the welcome, so that each knows from the first packet on what the other has:
//
//	client                         server
//	Hello, tag: hash of client  →
//	                            ←  Welcome: …, hash of server
//	equal, and trained for this protocol: it is used, else what is built in
//
// It is for the state of the world alone. Own state, at full precision and of few
// entities, is coded with what is built in.

// LoadTrained reads what codec/train wrote, for [ServerConfig] and [ClientConfig].
// Where b is damaged or of another version it logs that, to a logger that may be
// nil, and returns nil, which is what is built in.
func LoadTrained(b []byte, log *slog.Logger) *delta.Trained {
	t, err := delta.ParseTrained(b)
	if err != nil {
		if log != nil {
			log.Warn("trained file left out: snapshots go on with what is built in", "error", err)
		}
		return nil
	}
	return t
}

// agreement is what one side makes of its own trained file and the other's hash.
type agreement struct {
	trained *delta.Trained
	layout  *delta.Layout
	log     *slog.Logger
	told    bool // that there is none
}

// with reports whether a peer with this hash has the same file, and whether it is of
// use. The first time that it is not, it logs why.
func (a *agreement) with(peer uint64, who ...any) bool {
	own := a.trained.Hash()
	switch {
	case own != peer:
		a.tell("snapshots go on with what is built in: the peer was trained otherwise", own, peer, who)
	case own == 0:
	case !a.trained.Fits(a.layout):
		a.tell("snapshots go on with what is built in: trained for another protocol", own, peer, who)
	default:
		return true
	}
	return false
}

func (a *agreement) tell(why string, own, peer uint64, who []any) {
	if a.told {
		return
	}
	a.told = true
	a.log.Warn(why, append([]any{"own", hexHash(own), "peer", hexHash(peer)}, who...)...)
}

// hexHash prints as trained hashes are written, and as "built in" for none.
type hexHash uint64

// LogValue implements [slog.LogValuer].
func (h hexHash) LogValue() slog.Value {
	if h == 0 {
		return slog.StringValue("built in")
	}
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[i] = digits[h>>(60-4*i)&15]
	}
	return slog.StringValue(string(b[:]))
}

// model returns the model for the blocks of a server with this hash.
func (a *agreement) model(server uint64) *delta.Model {
	if a.with(server) {
		return a.trained.Model(a.layout)
	}
	return delta.NewModel(a.layout, nil)
}

// record writes the state of a send to the recording, if there is one.
func (s *Server) record(f *capture.Frame) {
	if s.recorder == nil {
		return
	}
	if err := s.recorder.Record(f.Groups); err != nil {
		s.recorder = nil
		s.config.Logger.Error("recording ended", "error", err)
	}
}
