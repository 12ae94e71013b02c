package systems

import "github.com/tactusgo/tactus/ecs"

// thinOut are the systems that a thin client does without.
var thinOut = [...]string{"Predict", "Reconcile", "Interpolate"}

// Thin is a ClientConfig.Schedule for who plays without looking closely, such as a bot or
// a load test: a session, inputs and snapshots like everybody's, but nothing is predicted,
// reconciled or drawn. It leaves out Predict, Reconcile and Interpolate:
//
//	config := systems.ClientConfig{Schedule: systems.Thin, Gather: systems.Gather(think)}
//
// The server cannot tell it from any other client: the same inputs, acknowledgements and
// bytes. [Client.World], which is [Client.View] too, has everything as last confirmed, own
// entities with it: they answer after a round trip and the input buffer. [Client.Own] finds
// them there; ecs.Each, which walks what a client simulates, walks nothing. [Client.Claim]
// names the newest snapshot, which is what such a client sees.
//
// Where every client simulates everything, under policy.Rollback and policy.Lockstep,
// there is no thin client: the session ends at once with an error that wraps [ErrConfig].
func Thin(s *ecs.Schedule) error {
	for _, name := range thinOut {
		if err := s.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
