// Package lagcomp is lag compensation: a server runs queries against the world as a
// player saw it when that player fired, so that who aims at what is on the screen
// hits it.
//
//	type Input struct {
//		Aim  float32 `net:"0..6.283 step 0.001 angle"`
//		Fire bool    `net:"edge"`
//		Seen lagcomp.Claim
//	}
//
// A server remembers, with ServerConfig.LagComp = &lagcomp.Config{}. A client says with
// its input which moment its view showed: in.Seen = client.Claim(in.Fire). The server
// looks there:
//
//	p.Authority("shoot", func(w *ecs.World) {
//		for _, s := range ecs.Each[shooter](w) {
//			if s.In.Fire {
//				view := lagcomp.As(w, s.Owner.Client, s.In.Seen)
//				for e, target := range lagcomp.All[target](view) {
//					…
//
// The example of systems.Client.Claim is a whole match.
//
// What to use for what:
//
//   - Say what a client saw: [Claim], systems.Client.Claim, [NewClaim]. In an input it is
//     a field like any other; in a message of one's own it is [Claim.Append] and
//     [ParseClaim].
//   - Look at the world as a player saw it: [As], and [Compensator.AsAfter] for what did
//     not come with an input. Run the same function on a client, or against the server's
//     present: [Of].
//   - Query a [View]: [All], [Get], [View.NetID], [View.ByNetID].
//   - Count claims that were not believed: [Compensator.Stats],
//     [Compensator.StatsOf], [View.Clamp].
//   - Keep what shooter and server each saw: [Log], [Sight].
//   - Make one for a world without a server of package systems: [New], [Config]; then tell
//     it [Compensator.Record], [Compensator.Consume], [Compensator.Acknowledge] and
//     [Compensator.Forget].
//
// # What a view shows
//
// Entities of others are where the client drew them: between two states that were
// sent, rounded as they were for sending, by the same field table and the same
// functions, schema.Table.Lerp and, where ecs.Hermite says so, Hermite. What has been destroyed since is there; what was
// spawned since is not. Components that are not interpolated are those of the older
// state, and so is all of an entity whose components changed in between, or that jumped,
// see components.Teleports; nothing slides
// where the field table says hold. Fields that are sent as lines are off by no more than
// the table allows them to be, for the client as for the view.
//
// The player's own entities are at their predicted pose. The input that carries a
// shot was made when all inputs before it had been predicted; where the server is
// about to simulate that input it has consumed the same ones, so As takes own
// entities from the world as it stands. A client aims before it moves, so a system of
// Simulate that stands before those that move shoots from where the player saw itself;
// where Authority decides, behind them, let such a system note where the shot comes from,
// or be off by the own movement of a tick.
//
// What another entity carries, see ecs.Carry, is where the player saw its carrier: of others between two
// states, of the player's own entities at their predicted pose, and so on for what it carries in turn.
//
// A view holds all that is replicated, and what is not. What this player could not
// see, because it was out of its interest or hidden from it, is for the caller to
// decide: ask what the filter of ServerConfig.Interest asks. A hitscan usually needs no such check,
// as who cannot be seen can still stand in the way.
//
// # How exact it is
//
// Where a send takes one datagram the view is the screen bit for bit, whatever was lost.
// It is not where
//
//   - a send takes more, or the budget makes entities take turns: a client draws some
//     between other states than most, which are those that it claims. At 200 ± 30 ms, 5 %
//     loss, 4 of 590 shots into a crowd of 600 in two datagrams hit another one than on
//     the screen, 20 of 586 into one of 200 that took turns for 600 bytes;
//   - the player's own entities were corrected less than a quarter of a second ago: they are
//     drawn with a visual error (interpolate.Smoothing) that the server knows nothing of. Take
//     the place that a shot comes from from systems.Client.World, where there is none;
//   - components are carried on beyond the newest state (ecs.Extrapolate), or come back
//     from there: the view has the states alone. Keep what is aimed at on lines, the
//     default, or curves (ecs.Hermite), which are reproduced;
//   - others are damped (policy.RemotesDamped): they are on their way to what is claimed,
//     and some 5 % of the shots end otherwise;
//   - an entity got another carrier, or lost it, less than 12 ticks ago (ecs.Carry): it is drawn on its way there;
//   - an input applies later than it is gathered (policy.TimingStamped, Suggest): the shot
//     comes from where its player is by then, here as on the client, which for those who
//     walk while they shoot was another hit in 8 % of the shots at 30 ms;
//   - a client simulates what others own: it draws that in the present, so look at it with
//     [Of].
//
// Without lag compensation more than half of the shots end otherwise.
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
// Recording copies the columns of the world, once a wake-up for all players. A claim
// takes few bytes of an input, see systems.Client.Claim. A view costs a look at who owns
// what. A query rounds both states of each entity that it meets and blends them, some
// 0.15 µs for each component of two fields, where one of the present takes 0.01: for a
// thousand entities 0.15 ms a shot. Where a list of candidates is at hand, Get of those is
// cheaper than All.
package lagcomp
