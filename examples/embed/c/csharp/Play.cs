using System;
using System.Threading;

/// Plays the arena for some seconds. Frame does what Update of a MonoBehaviour would do.
public static unsafe class Play
{
    static uint client;
    static Arena.Position me;
    static double moved;
    static int entities, hits;
    static byte judged;

    /// Plays one frame. Returns false after the end of the session.
    static bool Frame(byte buttons, ushort aim)
    {
        var input = new Arena.Action { Buttons = buttons, Aim = aim };
        Tactus.tactus_set_input(client, &input, (UIntPtr)sizeof(Arena.Action));
        if (Tactus.tactus_advance(client, 0) < 0) return false;
        Tactus.View* view = Tactus.tactus_frame(client, 0);
        if (view == null) return false;
        entities = 0;
        for (uint t = 0; t < view->Tables; t++)
        {
            Tactus.Table* table = &view->Table[t];
            var at = (Arena.Position*)table->Columns[Arena.PositionColumn]; // null: the rows lack it
            var owner = (Arena.Owner*)table->Columns[Arena.OwnerColumn];
            var verdict = (Arena.Verdict*)table->Columns[Arena.VerdictColumn];
            for (uint r = 0; at != null && r < table->Rows; r++)
            {
                entities++; // draw it: its handle, table->Handles[r], identifies it from frame to frame
                if (owner == null || owner[r].Client != view->Stats[0] || owner[r].Client == 0) continue;
                double step = Math.Sqrt((at[r].X - me.X) * (at[r].X - me.X) + (at[r].Y - me.Y) * (at[r].Y - me.Y));
                if (step < 50) moved += step;
                me = at[r];
                if (verdict == null || verdict[r].Tick == 0 || verdict[r].Shot == judged) continue;
                judged = verdict[r].Shot;
                if (verdict[r].Whom != 0) hits++;
            }
        }
        return true;
    }

    public static int Main(string[] args)
    {
        if (args.Length != 2)
        {
            Console.Error.WriteLine("usage: Play HOST:PORT SECONDS");
            return 2;
        }
        try
        {
            Arena.Check();
            client = Tactus.Open(args[0]);
        }
        catch (InvalidOperationException why)
        {
            Console.Error.WriteLine(why.Message);
            return 1;
        }
        long end = Tactus.tactus_now() + (long)(double.Parse(args[1]) * 1e9);
        for (int i = 0; Tactus.tactus_now() < end; i++)
        {
            if (!Frame((byte)(16 | 1 << (i / 60 % 4)), (ushort)(i * 331)))
            {
                Console.Error.WriteLine("it is over: reason {0}: {1}", Tactus.tactus_end(client), Tactus.Text(Tactus.tactus_text(client)));
                return 1;
            }
            Thread.Sleep(16);
        }
        Tactus.tactus_close(client);
        Console.WriteLine("saw {0} entities, moved {1:0} units, {2} hits", entities, moved, hits);
        return 0;
    }
}
