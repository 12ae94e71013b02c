// Package relay is the two ends of rollback and lockstep.
package relay
