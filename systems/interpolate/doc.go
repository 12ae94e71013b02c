// Package interpolate implements the system Interpolate, which writes the view: what a client
// draws. The package reads the client's world, and the server's states around the drawn tick. It
// changes only the view.
//
//	System     states.go   states of the server around a tick
//	           between.go  other clients' entities, between the two states around the drawn tick
//	           damping.go  or toward the newest state
//	Present    present.go  clients that simulate everything
//	Clock      clock.go    the tick at which other clients' entities are drawn
//	curve.go               interpolation between two states, and extrapolation
//	fade.go                a difference between what is drawn and what is fades: after a correction ([Smoothing]), when
//	                       an entity starts or stops being simulated, when its carrier changes, and behind the newest
//	                       state of a damped entity
//	carried.go             entities that stand on another entity
//	own.go     moment.go   a game's own drawing system
//	sight.go               what the client tells lag compensation about the drawn tick
//
// Tasks:
//
//   - Configure how corrections are drawn: [Smoothing]. Configure damping: policy.Damping.
//   - Enclose a replay by [System.Begin] and [System.End], a step of a timeline by
//     [Present.BeginStep] and [Present.EndStep].
//   - Report that an entity has another state, or starts or stops being simulated: [System.Reshaped].
//   - Draw in another way: systems.ClientSystems, with [Entity], [Moment] and [Clock].
//   - Keep states: after each frame, the system tells the mirror which states it needs. Keep entities: [System.Shows].
package interpolate
