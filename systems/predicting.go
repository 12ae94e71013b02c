package systems

import (
	"github.com/tactusgo/tactus/systems/predict"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// predictParts is what prediction needs under any model that has it.
func predictParts(c *Client) predict.Parts {
	return predict.Parts{
		World: c.world, Client: c.link.id, Inputs: c.inputs.Log, Mirror: c.mirror, Follow: &c.followed,
		Off: !c.stages.predicting, Mode: c.config.Scope, Assume: c.config.Assume.fill,
	}
}

// reconcileParts is what reconciliation needs likewise.
func reconcileParts(c *Client) reconcile.Parts {
	return reconcile.Parts{
		World: c.world, Client: c.link.id, Mirror: c.mirror, Predict: c.predictor, View: c.interpolator,
		Waiting: c.followed.waiting, Off: !c.stages.predicting, OnMismatch: c.config.OnMismatch,
	}
}
