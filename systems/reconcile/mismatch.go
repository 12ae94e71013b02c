package reconcile

import "github.com/tactusgo/tactus/components"

// Mismatch reports one component field that a client predicted wrongly.
type Mismatch struct {
	Tick             uint32 // server tick of the state that disagreed
	Input            uint32 // input sequence after which it was compared
	NetID            components.NetID
	Component, Field string
	Predicted, Truth string // the two values as text
	CoSimulated      bool   // it is not the client's own: see systems.Scope
}
