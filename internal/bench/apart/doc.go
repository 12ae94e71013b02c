// Package apart runs a server in its own process on its own processors. The parent process makes the load and reports. So
// the operating system counts the resources of the server separately.
//
//   - Reserve processors for servers: [Separate], or [Split] with [Processors.On] and [Stay] on Linux.
//   - Start the server process and ask it questions: [Start], [Process.Line], [Process.Ask], [Process.Pause].
//   - In the server process: [Order] at the beginning of main returns the task, and [Answer] answers questions.
//   - Measure the resources of a process: [CPU], and [Resident] on Linux.
//   - Open a socket on which no goroutine waits: [Dial] on Linux.
package apart
