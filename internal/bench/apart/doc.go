// Package apart runs a server in a process of its own, on processors of its own, beside the load in the process that
// reports. The operating system counts what the server uses separately.
//
//   - Keep processors for servers: [Separate], or [Split] with [Processors.On] and [Stay] on Linux.
//   - Start the other process and ask it questions: [Start], [Process.Line], [Process.Ask], [Process.Pause].
//   - Be the other process: [Order] at the beginning of main returns what it is to do, and [Answer] answers questions.
//   - Measure what a process uses: [CPU], and [Resident] on Linux.
//   - Open a socket that no goroutine waits for: [Dial] on Linux.
package apart
