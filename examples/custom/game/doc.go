// Package game is a yard of players who push each other, moving platforms, a
// door on a timer and power-ups: what is hard to predict, each with the rule
// that makes it predictable. It is the guide by example to a game of one's own.
//
// Where to look for what:
//
//   - Define components, one line each: [Protocol], [Boost], [PowerUp], [Score];
//     a singleton: [Match].
//   - Move with the tick, alike on all peers: [Platform], [Door], system "carry".
//   - Collide with others under prediction: [Crowd], systems "look" and "push".
//   - Decide who gets what, in order: system "take", with ecs.EachInOrder.
//   - Write down what is irreversible: system "grant", an Authority system.
//   - Keep what is not per entity and not sent in a resource: [Level], [Crowd],
//     [Camera], [Diary].
//   - Add systems to the stages: [ServerSchedule] (Before, After),
//     [ClientSchedule] (Before, OnTick, Render).
//   - Put systems of its own in place of a client's: [Recorded] gathers inputs, [Predict],
//     [Reconcile], [Draw] interpolates; see systems.ClientSystems.
//   - Fill the world: [Populate]. Play it: [NewBot].
//
// # Units
//
// A player is a disc [Width] = 40 units across and walks 120 units a second, so
// three of its widths. The yard is 1200 by 800 units.
//
// # What a client predicts exactly
//
// Everything that follows from its own inputs and the tick: walking, walls, the
// door, the platforms, and power-ups that nobody else is after. A client alone is
// never corrected.
//
// A platform's place and the door are functions of World.Tick, which on a client
// is the server's tick that its input will be consumed in: both peers ask about
// the same moment. A rider is moved by what its platform moves in the tick and
// not put where the platform is, so a tick in which the server holds a player back
// costs it one step of the way and no more.
//
// What runs down for one player, a boost, is counted in that player's steps and
// is state, so it goes on wherever a replay starts. When a power-up is back is a
// tick, written down once: a client that learns of it late still knows it to the
// tick, which a counter that runs down on the server could not give it.
//
// What a rule compares with must be what travels. Players' own state travels to
// them in full; all else in steps, so power-ups lie on whole units.
//
// # What it cannot know
//
// Where others are now. On a client they stand where the server last confirmed
// them, a round trip and a buffer behind. So what they may do to a player is soft
// and bounded: overlap pushes apart at no more than [PushSpeed], however many
// push, and never stops anybody dead. A client that is wrong about the others for
// the whole of its lead errs by the push in that time, not by a pile-up; and as the
// rule reads only places, whatever was wrong is right again with the next
// confirmed state. Through 500 ms and 5 % loss that makes less than a width at p99,
// which a test holds. Who rides together is compared by the places on the platform
// ([Ride]), which a round trip does not make wrong. Two players who reach for one power-up both predict to get it;
// the server's order decides, the other is corrected, and the points, which only
// the server counts, never go back.
package game
