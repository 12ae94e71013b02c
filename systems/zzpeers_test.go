package systems_test
import ("testing";"time";"github.com/tactusgo/tactus/systems/policy";"github.com/tactusgo/tactus/systems/systemstest")
func TestZZ(t *testing.T){
	c := systemstest.New(t, underPreset(policy.Lockstep, 2, 2, systemstest.RoundTrip(400*time.Millisecond, 0, 0)))
	last:=uint32(0)
	n:=0
	c.OnServerTick(func(){ n++; if n%10==0 && n>100 { 
		t.Log(n, "lost", n-int(c.Server.Tick()), c.Server.Tick()-last); last=c.Server.Tick()
		for _,k:=range c.Clients { st:=k.Status(); t.Log("  ", st.Inputs.Consumed, st.LastInput, st.Waiting, k.Stats().Ticks, st.Session.RTT, st.Session.Jitter) } } })
	c.Connect()
	c.Join();c.Run(6*time.Second)
}
