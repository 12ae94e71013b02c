package wire

import (
	"log/slog"

	"github.com/tactusgo/tactus/codec/delta"
)

// Agreement is what one side makes of its own trained file and the hash of the other's.
//
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
type Agreement struct {
	Trained *delta.Trained // nil: none
	Layout  *delta.Layout
	Log     *slog.Logger
	told    bool // that there is none
}

// With reports whether a peer with this hash has the same file, and whether it is of
// use. The first time that it is not, it logs why.
func (a *Agreement) With(peer uint64, who ...any) bool {
	own := a.Trained.Hash()
	switch {
	case own != peer:
		a.tell("snapshots go on with what is built in: the peer was trained otherwise", own, peer, who)
	case own == 0:
	case !a.Trained.Fits(a.Layout):
		a.tell("snapshots go on with what is built in: trained for another protocol", own, peer, who)
	default:
		return true
	}
	return false
}

// Model returns the model for the blocks of a server with this hash.
func (a *Agreement) Model(server uint64) *delta.Model {
	if a.With(server) {
		return a.Trained.Model(a.Layout)
	}
	return delta.NewModel(a.Layout, nil)
}

func (a *Agreement) tell(why string, own, peer uint64, who []any) {
	if a.told {
		return
	}
	a.told = true
	a.Log.Warn(why, append([]any{"own", hexHash(own), "peer", hexHash(peer)}, who...)...)
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
