package systems

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// The bytes of changes and notices, as docs/wire-format.md has them.
func TestBytesOfChangesAndNotices(t *testing.T) {
	list := ownership.Components(canvas())
	c := wire.NewChangeCoder(list)
	c.Begin(nil)
	c.Change(300, 0, []int32{5, 2000})
	changes := append(c.End(0, 1), 0x09)
	n := wire.Notice{Kind: wire.NoticeInput, Tick: 300, Input: 290, Reason: "no magic"}
	notices := n.Append(codec.AppendUvarint([]byte{wire.KindNotices}, 7), nil, nil)
	n = wire.Notice{Kind: wire.NoticeRevoked, Tick: 301, ID: 4}
	notices = n.Append(notices, nil, nil)
	for want, got := range map[string][]byte{
		"0eac020a00fa0009":                         changes,
		"050700ac02a202086e6f206d6167696304ad0204": notices,
	} {
		if b, _ := hex.DecodeString(want); !bytes.Equal(b, got) {
			t.Errorf("%x, want %s", got, want)
		}
	}
}
