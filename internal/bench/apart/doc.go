// Package apart runs what is measured in a process of its own, on processors of its own, beside the load in the
// process that reports. Then what the operating system counts for that process is its own alone. It needs Linux.
//
//   - Share the processors out: [Split], then [Processors.On].
//   - Be the other process: [Order] at the beginning of main says what is asked of it, and [Answer] talks.
//   - Start it, and ask: [Start], [Process.Line], [Process.Ask], [Process.Hold].
//   - Say what a process has used: [CPU], [Resident].
//   - Be many clients in one process: [Dial] opens a socket that no goroutine waits for.
package apart
