// Package flight keeps what happened in the last ticks of a server, in memory, and encodes it as a flight: a file with which
// systems.Rerun simulates these ticks again.
//
//   - Keep: [New], [Log.Checkpoint], and for each tick [Log.Entry], [Log.Hold], [Log.Skip] and [Log.Run]. Between ticks
//     [Log.Message] and [Log.Hash].
//   - Write: [Log.Capture].
//   - Read a file: [Parse], [Segment.Save], [Segment.Ticks].
//
// A flight consists of segments. Each begins with a checkpoint, which is a save of the world, so the oldest segment can be
// dropped.
package flight
