package systems

import (
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/predict"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// newPredictor makes what predicts.
func newPredictor(c *Client, p policy.Policies) *predict.System {
	parts := predict.Parts{
		World: c.world, Client: c.link.id, Inputs: c.inputs.Log, Mirror: c.mirror, Follow: &c.followed,
		Stamped: stamped(p), Corrections: p.Correction == policy.CorrectionMismatch, Off: !c.stages.predicting,
		Mode: c.config.Scope, CoSimulates: p.Remotes == policy.RemotesCoSimulated, Assume: c.config.Assume.fill,
	}
	if parts.Stamped {
		parts.Delay = uint32(p.SuggestTicks(c.world.TickRate()))
	}
	return predict.New(parts, c.shape.predicted, c.config.History)
}

// newReconciler makes what keeps predictions in line with the server.
func newReconciler(c *Client, p policy.Policies) *reconcile.System {
	parts := reconcile.Parts{
		World: c.world, Client: c.link.id, Mirror: c.mirror, Predict: c.predictor, View: c.interpolator,
		Waiting: c.followed.waiting, Off: !c.stages.predicting, Waits: stamped(p), OnMismatch: c.config.OnMismatch,
	}
	if p.Correction == policy.CorrectionMismatch {
		parts.Results = report.NewCoder(c.protocol)
	}
	return reconcile.New(parts, c.shape.predicted)
}
