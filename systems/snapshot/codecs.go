package snapshot

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// codecs is how states become bytes.
type codecs struct {
	layout    *delta.Layout
	rawLayout *delta.Layout
	model     *delta.Model
	rawModel  *delta.Model
	trained   *delta.Model // for clients that were trained alike
	agreement wire.Agreement
}

func newCodecs(c *Config, steps int) codecs {
	tables := wire.Tables(c.Protocol)
	k := codecs{layout: delta.NewLayout(tables, steps, c.SendRate), rawLayout: delta.NewRawLayout(tables, steps, c.SendRate)}
	k.model, k.rawModel = delta.NewModel(k.layout, nil), delta.NewModel(k.rawLayout, nil)
	if c.Trained.Fits(k.layout) {
		k.trained = c.Trained.Model(k.layout)
	}
	k.agreement = wire.Agreement{Trained: c.Trained, Layout: k.layout, Log: c.Logger}
	return k
}
