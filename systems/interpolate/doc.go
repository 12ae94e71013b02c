// Package interpolate is what a client draws: the system Interpolate, which makes the view
// of what the client simulates and of what the server told of all else. It reads the client's
// world, and of the server's states those around the tick that it draws; it writes the view and
// nothing else.
//
//	System     states.go   the states that the server told, around a tick
//	           between.go  others, between the two states around the tick that is drawn
//	           damped.go   others, toward the newest state
//	Present    present.go  where the client simulates everything
//	Clock      clock.go    the tick that others are drawn at
//	curve.go               a value on its way from one state to the next, and beyond the last
//	Smoothing  visualerror.go  what corrections would make jump keeps its place, and goes over
//	blend.go               so does what begins or ends to be simulated
//	carried.go             what stands on another entity is drawn there
//	own.go     moment.go   a way of drawing that is the game's
//	sight.go               what lag compensation is told of that
//
// Tasks:
//
//   - How corrections are drawn: [Smoothing]. How others are that are damped: [Damping].
//   - A replay is between [System.Begin] and [System.End], a step of a timeline between
//     [Present.BeginStep] and [Present.EndStep].
//   - An entity comes to be simulated or no longer is: [System.Reshaped].
//   - Draw otherwise: systems.ClientSystems, with [Entity], [Moment] and [Clock].
//   - Which states must be kept: it tells the mirror, after each frame; which entities: [System.Shows].
package interpolate
