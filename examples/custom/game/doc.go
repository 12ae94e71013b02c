// Package game is a yard of players who push each other, moving platforms, a door on a timer and power-ups. It is an
// example of mechanics that are hard to predict, each with the rule that makes it predictable.
//
// Where to look:
//
//   - Define components, one line each: [Protocol], [Boost], [PowerUp], [Score]; a singleton: [Match].
//   - Move entities as functions of the tick, equal on all peers: [Platform], [Door], system "carry".
//   - Collide with other players under prediction: [Crowd], systems "look" and "push".
//   - Resolve conflicts in a fixed order: system "take", with ecs.EachInOrder.
//   - Record irreversible results: system "grant", an Authority system.
//   - Store data that is neither per entity nor replicated in a resource: [Level], [Crowd], [Camera], [Diary].
//   - Add systems to the stages: [ServerSchedule] (Before, After), [ClientSchedule] (Before, OnTick, Render).
//   - Replace systems of a client: [Recorded] gathers inputs, [Predict], [Reconcile], [Draw] interpolates; see
//     systems.ClientSystems.
//   - Populate the world: [Populate]. Play: [NewBot].
//
// # Units
//
// A player is a disc of [Width] = 40 units and walks 120 units per second, three times its width. The yard is 1200 by 800
// units.
//
// # What a client predicts exactly
//
// A client predicts exactly everything that follows from its own inputs and the tick: walking, walls, the door, platforms,
// and power-ups without competitors. A single player is never corrected.
//
// The positions of platforms and door are functions of World.Tick. On a client this is the server's tick that will consume
// the input, so both peers compute the same moment. A platform moves its rider by its own movement in the tick instead of
// setting the rider's position. If the server holds a player back for a tick, the difference is one step only.
//
// A boost counts down in the player's own steps and is state, so a replay can start anywhere. The return of a power-up is a
// tick, written once. A client that learns of it late still knows the exact tick, unlike with a counter on the server.
//
// Rules compare values as they are sent. A player's own state is sent in full precision, everything else in steps, so
// power-ups have whole coordinates.
//
// # What a client cannot know
//
// A client cannot know where others are now. On the client they stand where the server last confirmed them, a round trip
// and a buffer ago. Therefore their effect on a player is soft and limited: overlapping players push each other apart at no
// more than [PushSpeed] in total, and never block. The error of a client is at most the push during its lead. The rule
// reads only positions, so the next confirmed state removes the error. At 500 ms and 5 % loss, a test limits the error to
// less than the width of a player at p99.
//
// Riders of one platform are compared by their places on the platform ([Ride]), which a round trip does not falsify. If two
// players reach for one power-up, both predict to get it. The server's order decides, and the other is corrected. Points
// never decrease, because only the server counts them.
package game
