package snapshot
import ("testing";"fmt")
func TestZZ(t *testing.T) {
	r := newRiders(t, 0, 3)
	for range 44 { r.step() }
	for _, age := range []int{0,1,2,3,5,8,24,40} {
		parts := wireParts(r.sends, age, age%4>0, allSlots)
		p := parts[0]
		if p.Base != nil { fmt.Println(age, p.Base.Record(51)) }
		if p.Base2 != nil { fmt.Println(" ", p.Base2.Record(51)) }
		fmt.Println(" ", p.Cur.Record(51))
	body := new(Encoder).appendRange(nil, NewModel(r.layout,nil), parts)
	got := sceneEmpty(parts)
	fmt.Println(decodeWire(readWireTables(t), body, r.layout, got), got[0].Cur.Record(51))
	}
}
