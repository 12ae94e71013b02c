using System;

/// The structs of the arena for C#. Each has the line of the library with the layout of its fields.
public static unsafe class Arena
{
    public struct Owner { public uint Client; }
    public struct Position { public float X, Y; }
    public struct Fighter { public byte Down, Shots; }
    public struct Verdict { public uint Whom, Tick; public ushort Ago; public byte Shot, Clamp, Down; fixed byte rest[15]; }
    public struct Action { public byte Buttons; public ushort Aim; public uint At; public byte Every, Back, Ahead; }

    public const int OwnerColumn = 0, PositionColumn = 2, FighterColumn = 6, VerdictColumn = 10;

    static readonly string[] layout =
    {
        "column 0 Owner of 4 bytes{Client uint32 at 0}",
        "column 2 Position of 8 bytes{X float32 at 0; Y float32 at 4}",
        "column 6 Fighter of 2 bytes{Down bool at 0; Shots uint8 at 1}",
        "column 10 Verdict of 28 bytes{Whom uint32 at 0; Tick uint32 at 4; Ago uint16 at 8; Shot uint8 at 10; Clamp uint8 at 11; Down bool at 12;",
        "column 14 Action of 12 bytes{Buttons uint8 at 0; Aim uint16 at 2; Seen.At uint32 at 4; Seen.Every uint8 at 8; Seen.Back uint8 at 9; Seen.Ahead uint8 at 10}",
    };

    /// Throws if the library has another protocol: call it first.
    public static void Check()
    {
        string lines = Tactus.Text(Tactus.tactus_lines());
        foreach (string line in layout)
            if (!lines.Contains(line)) throw new InvalidOperationException("the library has no line \"" + line + "\": bring Arena.cs up to date");
        if (sizeof(Owner) != 4 || sizeof(Position) != 8 || sizeof(Fighter) != 2 || sizeof(Verdict) != 28 || sizeof(Action) != 12)
            throw new InvalidOperationException("structs of other sizes");
    }
}
