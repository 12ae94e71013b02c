// Package refusals tells a server's log whose connect tokens were refused, and why. Strangers cannot fill the log: see [Log].
package refusals
