// Package lagcomp is lag compensation: a server runs queries against the world as a
// player saw it when that player fired, so that who aims at what is on the screen
// hits it.
//
//	comp, err := lagcomp.New(server.World(), lagcomp.Config{})
//	err = server.Schedule().InsertBefore("Snapshot", comp.System())
//	ecs.SetResource(server.World(), comp)
//
// A client says with its input which moment its view showed, the server looks there:
//
//	type Input struct {
//		Aim  float32 `net:"0..6.283 step 0.001 angle"`
//		Fire bool    `net:"edge"`
//		Seen lagcomp.Claim
//	}
//
//	view := comp.As(client, in.Seen)
//	for e, target := range lagcomp.All[target](view) {
//		…
//	}
//
// What to use for what:
//
//   - Make one for a server's world: [New], [Config]. Record each tick:
//     [Compensator.System], [Compensator.Record].
//   - Say what a client saw: [Claim], [NewClaim]. In an input it is a field like any
//     other; in a message of one's own it is [Claim.Append] and [ParseClaim].
//   - Look at the world as a player saw it: [Compensator.As], and
//     [Compensator.AsAfter] for what did not come with an input. Run the same function
//     on a client, or against the server's present: [Of].
//   - Query a [View]: [All], [Get], [View.NetID], [View.ByNetID].
//   - Bound claims further by what a client has: [Compensator.Acknowledge].
//   - Count claims that were not believed: [Compensator.Stats],
//     [Compensator.StatsOf], [View.Clamp].
//   - Keep what shooter and server each saw: [Log], [Sight].
//
// # What a view shows
//
// Entities of others are where the client drew them: between two states that were
// sent, rounded as they were for sending, by the same field table and the same
// function, schema.Table.Lerp. What has been destroyed since is there; what was
// spawned since is not. Components that are not interpolated are those of the older
// state, and so is all of an entity whose components changed in between; nothing slides
// where the field table says hold. Fields that are sent as lines are off by no more than
// the table allows them to be, for the client as for the view.
//
// The player's own entities are at their predicted pose. The input that carries a
// shot was made when all inputs before it had been predicted; where the server is
// about to simulate that input it has consumed the same ones, so As takes own
// entities from the world as it stands. A system that shoots runs before those that
// move, on both sides, or behind them on both.
//
// A view holds all that is replicated, and what is not. What this player could not
// see, because it was out of its interest or hidden from it, is for the caller to
// decide: ask what ServerConfig.Visible asks. A hitscan usually needs no such check,
// as who cannot be seen can still stand in the way.
//
// # What a claim can gain
//
// A claim is what a client says, so it decides no more than which past is looked at:
// none that is older than Config.MaxRewind, none that is newer than what the client
// acknowledged, and none before the one that it claimed in an earlier tick, because
// playback never goes backwards. A claim beyond is moved to the bound and counted. The
// two states that it says it drew between must have been sent, lie within the same
// bounds, and have no more than [MaxLost] sends between them; otherwise the view is
// between the neighbours.
//
// # What it costs
//
// Recording copies the columns of the world, once a tick for all players. A view costs
// a look at who owns what. A query rounds both states of each entity that it meets and
// blends them, some 0.15 µs for each component of two fields, where one of the present
// takes 0.01: for a thousand entities 0.15 ms a shot. Where a list of candidates is at
// hand, Get of those is cheaper than All.
package lagcomp
